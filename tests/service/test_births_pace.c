/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "service/births_pace.h"

#define MS  UINT64_C(1000000)
#define NOW (UINT64_C(1000) * MS)

static void pace__waits_a_moment_for_others_after_the_first(void **state)
{
    const struct births_pace pace = {0};

    (void)state;
    assert_int_equal(births_pace_due(&pace, NOW), NOW + BIRTHS_GATHER_NS);
}

static void pace__rests_after_each_following(void **state)
{
    struct births_pace pace = {0};

    (void)state;
    births_pace_followed(&pace, MS / 10, MS / 10, NOW);
    assert_int_equal(births_pace_due(&pace, NOW), NOW + BIRTHS_REST_NS);
    /* A birth that is announced after the rest does not wait for it. */
    assert_int_equal(births_pace_due(&pace, NOW + 500 * MS), NOW + 500 * MS + BIRTHS_GATHER_NS);
}

static void pace__takes_a_tenth_of_a_cpu_at_most(void **state)
{
    struct births_pace pace = {0};

    (void)state;
    births_pace_followed(&pace, 5 * MS, 5 * MS, NOW);
    assert_int_equal(births_pace_due(&pace, NOW), NOW + 45 * MS);
}

/* Births are not to be missed because the machine is busy. */
static void pace__does_not_rest_for_what_others_took(void **state)
{
    struct births_pace pace = {0};

    (void)state;
    births_pace_followed(&pace, 200 * MS, MS / 2, NOW);
    assert_int_equal(births_pace_due(&pace, NOW), NOW + BIRTHS_REST_NS);
}

static void pace__leaves_births_to_a_cycle_that_it_might_delay(void **state)
{
    struct births_pace pace = {0};

    (void)state;
    assert_true(births_pace_fits(&pace, NOW, NOW + 3 * MS));
    assert_false(births_pace_fits(&pace, NOW, NOW + 1 * MS));
    assert_false(births_pace_fits(&pace, NOW, NOW - 1 * MS));
    births_pace_followed(&pace, 20 * MS, MS, NOW - 100 * MS);
    assert_false(births_pace_fits(&pace, NOW, NOW + 20 * MS));
    assert_true(births_pace_fits(&pace, NOW, NOW + 22 * MS));
}

static void pace__a_storm_takes_its_share_and_no_more(void **state)
{
    struct births_pace pace = {0};
    uint64_t now_ns = NOW, cpu_ns = 0;

    (void)state;
    while (now_ns <
           NOW + 10000 * MS) { /* The next birth is announced as soon as one was followed. */
        now_ns = births_pace_due(&pace, now_ns) + 3 * MS;
        cpu_ns += 3 * MS;
        births_pace_followed(&pace, 3 * MS, 3 * MS, now_ns);
    }
    assert_in_range(cpu_ns, 900 * MS, 1010 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pace__waits_a_moment_for_others_after_the_first),
        cmocka_unit_test(pace__rests_after_each_following),
        cmocka_unit_test(pace__takes_a_tenth_of_a_cpu_at_most),
        cmocka_unit_test(pace__does_not_rest_for_what_others_took),
        cmocka_unit_test(pace__leaves_births_to_a_cycle_that_it_might_delay),
        cmocka_unit_test(pace__a_storm_takes_its_share_and_no_more),
    };

    return cmocka_run_group_tests_name("births_pace", tests, NULL, NULL);
}
