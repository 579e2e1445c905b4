/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "base/clock.h"
#include "count/cpu_usage.h"

static struct cpu_usage_delta advance(struct cpu_usage *usage, uint64_t user_ns, uint64_t system_ns,
                                      uint64_t seconds)
{
    const struct cpu_time reading = {.user_ns = user_ns, .system_ns = system_ns};

    return cpu_usage_advance(usage, &reading, seconds * NS_PER_SECOND);
}

static void advance__a_first_reading_is_the_base_and_counts_nothing(void **state)
{
    struct cpu_usage usage = {0};
    struct cpu_usage_delta delta = advance(&usage, 500, 600, 10);

    (void)state;
    assert_int_equal(delta.state, CPU_USAGE_UNKNOWN);
    assert_int_equal(delta.user_ns + delta.system_ns, 0);
}

static void advance__tells_what_was_used_since_the_last_reading(void **state)
{
    struct cpu_usage usage = {0};
    struct cpu_usage_delta delta;

    (void)state;
    (void)advance(&usage, 0, 0, 10);
    delta = advance(&usage, NS_PER_SECOND, 2 * NS_PER_SECOND, 12);
    assert_int_equal(delta.state, CPU_USAGE_KNOWN);
    assert_int_equal(delta.user_ns, NS_PER_SECOND);
    assert_int_equal(delta.system_ns, 2 * NS_PER_SECOND);
    assert_true(delta.cpus == 1.5);
    assert_int_equal(advance(&usage, NS_PER_SECOND, 2 * NS_PER_SECOND, 13).user_ns, 0);
}

static void advance__a_reading_that_fell_waits_and_the_next_covers_both(void **state)
{
    struct cpu_usage usage = {0};
    struct cpu_usage_delta delta;

    (void)state;
    (void)advance(&usage, 100, 100, 10);
    delta = advance(&usage, 99, 300, 11); /* it is enough that one part fell */
    assert_int_equal(delta.state, CPU_USAGE_UNKNOWN);
    assert_int_equal(delta.user_ns + delta.system_ns, 0);
    delta = advance(&usage, 150, 400, 12);
    assert_int_equal(delta.state, CPU_USAGE_KNOWN);
    assert_int_equal(delta.user_ns, 50);
    assert_int_equal(delta.system_ns, 300);
}

static void advance__a_second_fall_in_a_row_is_a_new_base(void **state)
{
    struct cpu_usage usage = {0};
    struct cpu_usage_delta delta;

    (void)state;
    (void)advance(&usage, 1000, 1000, 10);
    (void)advance(&usage, 5, 5, 11);
    delta = advance(&usage, 7, 7, 12);
    assert_int_equal(delta.state, CPU_USAGE_UNKNOWN);
    delta = advance(&usage, 17, 27, 13);
    assert_int_equal(delta.user_ns, 10);
    assert_int_equal(delta.system_ns, 20);
}

static void advance__two_readings_in_a_moment_leave_what_was_known(void **state)
{
    const struct cpu_time later = {.user_ns = 50};
    struct cpu_usage usage = {0};
    struct cpu_usage_delta delta;

    (void)state;
    (void)advance(&usage, 0, 0, 10);
    delta = cpu_usage_advance(&usage, &later, 10 * NS_PER_SECOND + 1000000);
    assert_int_equal(delta.state, CPU_USAGE_TOO_SOON);
    assert_int_equal(delta.user_ns, 0);
    assert_int_equal(advance(&usage, 60, 0, 11).user_ns, 60); /* nothing is lost */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advance__a_first_reading_is_the_base_and_counts_nothing),
        cmocka_unit_test(advance__tells_what_was_used_since_the_last_reading),
        cmocka_unit_test(advance__a_reading_that_fell_waits_and_the_next_covers_both),
        cmocka_unit_test(advance__a_second_fall_in_a_row_is_a_new_base),
        cmocka_unit_test(advance__two_readings_in_a_moment_leave_what_was_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
