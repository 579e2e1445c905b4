/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <pthread.h>

#include "metric/profile_status.h"

static void slot__wants_nothing_before_it_is_set(void **state)
{
    AUTO(profile_status_slot) struct profile_status_slot *slot = profile_status_slot_new();

    (void)state;
    assert_non_null(slot);
    assert_false(profile_status_slot_get(slot).wanted);
}

/* Sets only statuses of which two numbers are the same. */
static void *set_many(void *slot)
{
    for (uint64_t i = 0; i < 20000; i++)
        profile_status_slot_set(
            slot, &(struct profile_status){.wanted = true, .samples = i, .sampler_cpu_ns = i});
    return NULL;
}

static void status__is_never_a_mixture_of_two(void **state)
{
    AUTO(profile_status_slot) struct profile_status_slot *slot = profile_status_slot_new();
    pthread_t thread;

    (void)state;
    assert_non_null(slot);
    assert_int_equal(pthread_create(&thread, NULL, set_many, slot), 0);
    for (int i = 0; i < 20000; i++) {
        const struct profile_status status = profile_status_slot_get(slot);

        assert_int_equal(status.samples, status.sampler_cpu_ns);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(profile_status_slot_get(slot).samples, 19999);
}

static void free__takes_null(void **state)
{
    (void)state;
    assert_null(profile_status_slot_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slot__wants_nothing_before_it_is_set),
        cmocka_unit_test(status__is_never_a_mixture_of_two),
        cmocka_unit_test(free__takes_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
