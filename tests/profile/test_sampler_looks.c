/* SPDX-License-Identifier: Apache-2.0 */
/* How often all processes are looked at when the kernel's words about some of them are lost: who
 * maps without end shall not have us look without end. */
#include "support/check.h"

#include "base/clock.h"
#include "profile/sampler_parts.h"

#define SECOND NS_PER_SECOND

static bool is_losing;
static unsigned n_looks;

bool __wrap_profile_program_next_mapped(struct profile_program *program,
                                        struct profile_mapped *ret_mapped, bool *ret_lost)
{
    (void)program, (void)ret_mapped;
    *ret_lost |= is_losing;
    return false;
}

int __wrap_address_spaces_look_at_all(struct address_spaces *spaces)
{
    (void)spaces;
    n_looks++;
    return 0;
}

static void look(struct sampler *sampler, uint64_t now_ns, bool is_lost)
{
    is_losing = is_lost;
    sampler_look(sampler, now_ns);
}

static void looks_at_all__are_a_second_apart_and_none_is_left_out(void **state)
{
    struct sampler sampler = {.changed = changed_processes_new()};

    (void)state;
    assert_non_null(sampler.changed);
    look(&sampler, 10 * SECOND, false);
    assert_int_equal(n_looks, 0);
    look(&sampler, 10 * SECOND, true);
    assert_int_equal(n_looks, 1);
    for (uint64_t i = 1; i < 20; i++)
        look(&sampler, 10 * SECOND + i * SECOND / 20, true);
    assert_int_equal(n_looks, 1);
    assert_true(sampler.has_lost_records);
    look(&sampler, 1000 * SECOND, false); /* what was lost before has still to be looked at */
    assert_int_equal(n_looks, 2);
    assert_false(sampler.has_lost_records);
    look(&sampler, 2000 * SECOND, false);
    assert_int_equal(n_looks, 2);
    (void)changed_processes_free(sampler.changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_at_all__are_a_second_apart_and_none_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
