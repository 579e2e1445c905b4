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
    births_pace_followed(&pace, true, MS / 10, MS / 10, NOW);
    assert_int_equal(births_pace_due(&pace, NOW), NOW + BIRTHS_REST_NS);
    /* A birth that is announced after the rest does not wait for it. */
    assert_int_equal(births_pace_due(&pace, NOW + 500 * MS), NOW + 500 * MS + BIRTHS_GATHER_NS);
}

static void pace__opens_for_a_tenth_of_a_cpu_and_closes_for_a_seventh(void **state)
{
    struct births_pace pace = {0};

    (void)state;
    births_pace_followed(&pace, true, 5 * MS, 5 * MS, NOW);
    assert_int_equal(births_pace_due(&pace, NOW), NOW + 30 * MS);
    assert_false(births_pace_may_open(&pace, NOW + 44 * MS, NOW + 900 * MS));
    assert_true(births_pace_may_open(&pace, NOW + 45 * MS, NOW + 900 * MS));
    births_pace_followed(&pace, false, 2 * MS, 2 * MS, NOW + 30 * MS); /* counts as well */
    assert_false(births_pace_may_open(&pace, NOW + 62 * MS, NOW + 900 * MS));
    assert_true(births_pace_may_open(&pace, NOW + 63 * MS, NOW + 900 * MS));
}

/* Births are not to be missed because the machine is busy. */
static void pace__does_not_rest_for_what_others_took(void **state)
{
    struct births_pace pace = {0};

    (void)state;
    births_pace_followed(&pace, true, 200 * MS, MS / 2, NOW);
    assert_int_equal(births_pace_due(&pace, NOW), NOW + BIRTHS_REST_NS);
}

static void pace__leaves_births_to_a_cycle_that_it_might_delay(void **state)
{
    struct births_pace pace = {0};

    (void)state;
    assert_true(births_pace_may_open(&pace, NOW, NOW + 3 * MS));
    assert_false(births_pace_may_open(&pace, NOW, NOW + 1 * MS));
    assert_false(births_pace_may_open(&pace, NOW, NOW - 1 * MS));
    births_pace_followed(&pace, true, 20 * MS, MS, NOW - 100 * MS);
    assert_false(births_pace_may_open(&pace, NOW, NOW + 20 * MS));
    assert_true(births_pace_may_open(&pace, NOW, NOW + 22 * MS));
}

static void pace__leaves_no_end_to_a_cycle_because_opening_took_long(void **state)
{
    struct births_pace pace = {0};

    (void)state;
    births_pace_followed(&pace, true, 5000 * MS, MS, NOW - 100 * MS);
    assert_false(births_pace_may_open(&pace, NOW, NOW + 900 * MS));
    assert_true(births_pace_fits(births_pace_due(&pace, NOW), NOW + 900 * MS));
}

/* One opening that took longer than an interval does not end the following of births for ever. */
static void pace__tries_again_what_took_long_once(void **state)
{
    struct births_pace pace = {0};
    int n = 0;

    (void)state;
    births_pace_followed(&pace, true, 5000 * MS, MS, NOW - 100 * MS);
    for (; !births_pace_may_open(&pace, NOW, NOW + 1000 * MS); n++)
        births_pace_cycle(&pace);
    assert_in_range(n, 5, 20);
}

/* What is announced as soon as all was followed: births are opened when they may be. */
static uint64_t storm(uint64_t opening_ns, uint64_t closing_ns)
{
    struct births_pace pace = {0};
    uint64_t now_ns = NOW, cpu_ns = 0;

    while (now_ns < NOW + 10000 * MS) {
        const uint64_t at_ns = births_pace_due(&pace, now_ns);
        const bool opens = births_pace_may_open(&pace, at_ns, at_ns + 900 * MS);
        const uint64_t takes_ns = opens ? opening_ns : closing_ns;

        now_ns = at_ns + takes_ns;
        cpu_ns += takes_ns;
        births_pace_followed(&pace, opens, takes_ns, takes_ns, now_ns);
    }
    return cpu_ns;
}

static void pace__a_storm_takes_its_share_and_no_more(void **state)
{
    (void)state;
    assert_in_range(storm(3 * MS, 0), 800 * MS, 1010 * MS);
    assert_in_range(storm(20 * MS, 20 * MS), 1300 * MS, 1500 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pace__waits_a_moment_for_others_after_the_first),
        cmocka_unit_test(pace__rests_after_each_following),
        cmocka_unit_test(pace__opens_for_a_tenth_of_a_cpu_and_closes_for_a_seventh),
        cmocka_unit_test(pace__does_not_rest_for_what_others_took),
        cmocka_unit_test(pace__leaves_births_to_a_cycle_that_it_might_delay),
        cmocka_unit_test(pace__leaves_no_end_to_a_cycle_because_opening_took_long),
        cmocka_unit_test(pace__tries_again_what_took_long_once),
        cmocka_unit_test(pace__a_storm_takes_its_share_and_no_more),
    };

    return cmocka_run_group_tests_name("births_pace", tests, NULL, NULL);
}
