/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "count/delta.h"

static void judge__a_target_that_did_not_run_is_idle(void **state)
{
    (void)state;
    assert_int_equal(delta_judge(0, 0), DELTA_IDLE);
}

static void judge__a_group_that_never_had_the_pmu_is_unknown(void **state)
{
    (void)state;
    assert_int_equal(delta_judge(1000000, 0), DELTA_UNKNOWN);
}

static void judge__less_than_one_percent_is_unknown_and_one_percent_is_known(void **state)
{
    (void)state;
    assert_int_equal(delta_judge(1000000, 9999), DELTA_UNKNOWN);
    assert_int_equal(delta_judge(1000000, 10000), DELTA_KNOWN);
}

static void judge__one_nanosecond_of_running_in_a_short_time_is_known(void **state)
{
    (void)state;
    assert_int_equal(delta_judge(50, 1), DELTA_KNOWN);
    assert_int_equal(delta_judge(199, 1), DELTA_UNKNOWN);
}

static void judge__a_time_that_went_backwards_is_broken(void **state)
{
    (void)state;
    assert_int_equal(delta_judge((uint64_t)-1, 5), DELTA_BROKEN);
    assert_int_equal(delta_judge(5, (uint64_t)-1), DELTA_BROKEN);
}

static void count__is_the_difference_also_across_the_wrap_of_the_counter(void **state)
{
    (void)state;
    assert_int_equal(delta_count(10, 25), 15);
    assert_int_equal(delta_count(UINT64_MAX - 9, 5), 15);
    assert_false(delta_is_backwards(delta_count(UINT64_MAX - 9, 5)));
}

static void count__a_value_that_went_backwards_is_recognized(void **state)
{
    (void)state;
    assert_true(delta_is_backwards(delta_count(25, 10)));
}

static void scale__full_coverage_leaves_the_count_as_it_is(void **state)
{
    uint32_t carry = 7;

    (void)state;
    assert_int_equal(delta_scale(123456789, 1000, 1000, &carry), 123456789);
    assert_int_equal(carry, 7);
}

static void scale__running_above_enabled_is_full_coverage(void **state)
{
    uint32_t carry = 0;

    (void)state;
    assert_int_equal(delta_scale(100, 1000, 1001, &carry), 100);
}

static void scale__half_the_time_doubles_the_count(void **state)
{
    uint32_t carry = 0;

    (void)state;
    assert_int_equal(delta_scale(100, 1000, 500, &carry), 200);
    assert_int_equal(carry, 0);
}

static void scale__does_not_wrap_where_the_product_passes_64_bits(void **state)
{
    uint32_t carry = 0;

    (void)state;
    /* 3 GHz for an hour, multiplexed by half: the product is about 4e25. */
    assert_int_equal(delta_scale(UINT64_C(10800000000000), UINT64_C(3600000000000),
                                 UINT64_C(1800000000000), &carry),
                     UINT64_C(21600000000000));
}

static void scale__near_the_ends_of_the_range_is_exact(void **state)
{
    uint32_t carry = 0;

    (void)state;
    assert_int_equal(delta_scale(INT64_MAX, 2, 1, &carry), UINT64_C(0xfffffffffffffffe));
}

/* One count in each interval, at a coverage of 0.55: rounded down, 45 % would be lost. */
static void scale__fractions_are_carried_so_that_rare_events_are_not_lost(void **state)
{
    uint32_t carry = 0;
    uint64_t total = 0;

    (void)state;
    for (int i = 0; i < 1100; i++)
        total += delta_scale(1, 1000000, 550000, &carry);
    assert_in_range(total, 1999, 2000);
}

static void scale__the_carry_never_makes_more_than_one(void **state)
{
    uint32_t carry = UINT32_MAX;

    (void)state;
    assert_int_equal(delta_scale(0, 3, 2, &carry), 0);
    assert_int_equal(carry, UINT32_MAX);
    assert_int_equal(delta_scale(1, 3, 2, &carry), 2);
}

/*
 * A sum of deltas never falls. The count of a whole life, scaled, would: V=1000 E=10 R=5 gives
 * 2000, and then V=1000 E=11 R=6 gives 1833.
 */
static void scale__a_tick_without_a_count_adds_nothing(void **state)
{
    uint32_t carry = 0;
    uint64_t total = 0;

    (void)state;
    total += delta_scale(1000, 10, 5, &carry);
    assert_int_equal(total, 2000);
    total += delta_scale(0, 1, 1, &carry);
    assert_int_equal(total, 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judge__a_target_that_did_not_run_is_idle),
        cmocka_unit_test(judge__a_group_that_never_had_the_pmu_is_unknown),
        cmocka_unit_test(judge__less_than_one_percent_is_unknown_and_one_percent_is_known),
        cmocka_unit_test(judge__one_nanosecond_of_running_in_a_short_time_is_known),
        cmocka_unit_test(judge__a_time_that_went_backwards_is_broken),
        cmocka_unit_test(count__is_the_difference_also_across_the_wrap_of_the_counter),
        cmocka_unit_test(count__a_value_that_went_backwards_is_recognized),
        cmocka_unit_test(scale__full_coverage_leaves_the_count_as_it_is),
        cmocka_unit_test(scale__running_above_enabled_is_full_coverage),
        cmocka_unit_test(scale__half_the_time_doubles_the_count),
        cmocka_unit_test(scale__does_not_wrap_where_the_product_passes_64_bits),
        cmocka_unit_test(scale__near_the_ends_of_the_range_is_exact),
        cmocka_unit_test(scale__fractions_are_carried_so_that_rare_events_are_not_lost),
        cmocka_unit_test(scale__the_carry_never_makes_more_than_one),
        cmocka_unit_test(scale__a_tick_without_a_count_adds_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
