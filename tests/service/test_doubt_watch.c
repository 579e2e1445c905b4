/* SPDX-License-Identifier: Apache-2.0 */
#include "service/doubt_watch.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "support/check.h"

#define MINUTE (60 * NS_PER_SECOND)
#define N_CPUS 2

/* Runs a minute of cycles with this share of the CPUs' time in doubt. True: it was too much. */
static bool pass_minute(struct doubt_watch *watch, uint64_t *now_ns, uint64_t *doubt_ns,
                        double share)
{
    bool left = false;

    for (int i = 0; i < 60; i++) {
        *now_ns += NS_PER_SECOND;
        *doubt_ns += (uint64_t)(share * N_CPUS * (double)NS_PER_SECOND);
        left = doubt_watch_is_too_much(watch, *now_ns, N_CPUS, *doubt_ns) || left;
    }
    return left;
}

static void bpf__is_left_after_two_bad_minutes_running(void **state)
{
    static const struct {
        double shares[4];
        bool left[4];
    } cases[] = {
        {{0.0024, 0.0024, 0.0024, 0.0024}, {false, false, false, false}},
        {{0.006, 0.006, 0, 0}, {false, true, false, false}},
        {{0.006, 0.004, 0.006, 0.004}, {false, false, false, false}},
        {{0.9, 0, 0.006, 0.9}, {false, false, false, true}},
        /* It is reported once, also if bpf stays nevertheless. */
        {{0.006, 0.006, 0.006, 0.006}, {false, true, false, false}},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        uint64_t now_ns = 7 * MINUTE, doubt_ns = 12345;
        struct doubt_watch watch;

        doubt_watch_begin(&watch, now_ns, doubt_ns);
        for (size_t m = 0; m < ARRAY_SIZE(cases[i].shares); m++) {
            assert_int_equal(pass_minute(&watch, &now_ns, &doubt_ns, cases[i].shares[m]),
                             cases[i].left[m]);
            assert_true(fabs(watch.share - cases[i].shares[m]) < 1e-6);
        }
    }
}

static void a_share__is_not_known_before_a_minute_is_over(void **state)
{
    struct doubt_watch watch;

    (void)state;
    doubt_watch_begin(&watch, 100, 5);
    assert_false(doubt_watch_is_too_much(&watch, 100 + MINUTE - 1, N_CPUS, MINUTE));
    assert_true(isnan(watch.share));
    assert_false(
        doubt_watch_is_too_much(&watch, 100 + MINUTE, 0, MINUTE)); /* No CPU is counted on. */
    assert_true(isnan(watch.share));
}

/* If two cycles are minutes apart, the time between them is one minute to judge. */
static void a_long_cycle__is_judged_over_all_of_it(void **state)
{
    struct doubt_watch watch;

    (void)state;
    doubt_watch_begin(&watch, 0, 0);
    assert_false(doubt_watch_is_too_much(&watch, 10 * MINUTE, N_CPUS, MINUTE / 10));
    assert_true(fabs(watch.share - 0.005) < 1e-9);
    assert_int_equal(watch.bad_minutes, 0);
    assert_false(doubt_watch_is_too_much(&watch, 20 * MINUTE, N_CPUS, MINUTE / 10 * 3));
    assert_int_equal(watch.bad_minutes, 1);
}

static void bpf__is_tried_again_once_after_an_hour(void **state)
{
    struct doubt_watch watch;
    const uint64_t left_ns = 3 * MINUTE;

    (void)state;
    doubt_watch_begin(&watch, 0, 0);
    assert_false(doubt_watch_wants_retry(&watch, 1000 * MINUTE));
    doubt_watch_leave(&watch, left_ns);
    assert_true(isnan(watch.share));
    assert_false(doubt_watch_wants_retry(&watch, left_ns + 60 * MINUTE - 1));
    assert_true(doubt_watch_wants_retry(&watch, left_ns + 60 * MINUTE));
    assert_false(doubt_watch_wants_retry(&watch, left_ns + 60 * MINUTE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bpf__is_left_after_two_bad_minutes_running),
        cmocka_unit_test(a_share__is_not_known_before_a_minute_is_over),
        cmocka_unit_test(a_long_cycle__is_judged_over_all_of_it),
        cmocka_unit_test(bpf__is_tried_again_once_after_an_hour),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
