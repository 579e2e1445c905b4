/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"

static void monotonic__never_goes_back(void **state)
{
    uint64_t last = clock_monotonic_ns();

    (void)state;
    for (int i = 0; i < 10000; i++) {
        uint64_t now = clock_monotonic_ns();

        assert_true(now >= last);
        last = now;
    }
}

static void monotonic__counts_nanoseconds(void **state)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    uint64_t before = clock_monotonic_ns(), passed;

    (void)state;
    assert_int_equal(nanosleep(&pause, NULL), 0);
    passed = clock_monotonic_ns() - before;
    assert_true(passed >= (uint64_t)pause.tv_nsec);
    assert_true(passed < 10 * NS_PER_SECOND); /* a busy machine may be late, not that late */
}

static void realtime__is_the_time_of_day(void **state)
{
    uint64_t seconds = clock_realtime_ns() / NS_PER_SECOND;
    uint64_t expected = (uint64_t)time(NULL);

    (void)state;
    assert_in_range(seconds, expected - 2, expected + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monotonic__never_goes_back),
        cmocka_unit_test(monotonic__counts_nanoseconds),
        cmocka_unit_test(realtime__is_the_time_of_day),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
