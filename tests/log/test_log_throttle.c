/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "log/log_throttle.h"

#define MS             (NS_PER_SECOND / 1000)
#define BEGIN_NS       (5 * NS_PER_SECOND)
#define ORDINARY_LINES (LOG_LINES_PER_SECOND - 1)

static void nine_lines_pass_and_the_tenth_says_how_many_did_not(void **state)
{
    struct log_throttle throttle = {0};

    (void)state;
    for (int i = 0; i < 100; i++)
        assert_int_equal(log_throttle_admit(&throttle, BEGIN_NS), i < ORDINARY_LINES);
    assert_int_equal(log_throttle_take_held_back(&throttle, BEGIN_NS), 100 - ORDINARY_LINES);
    assert_int_equal(log_throttle_take_held_back(&throttle, BEGIN_NS), 0);
    assert_false(log_throttle_admit(&throttle, BEGIN_NS));
    assert_int_equal(log_throttle_take_held_back(&throttle, BEGIN_NS), 0); /* no place is left */
}

static void nothing_held_back__needs_no_line(void **state)
{
    struct log_throttle throttle = {0};

    (void)state;
    assert_int_equal(log_throttle_take_held_back(&throttle, BEGIN_NS), 0);
    assert_true(log_throttle_admit(&throttle, BEGIN_NS));
    assert_int_equal(log_throttle_take_held_back(&throttle, BEGIN_NS), 0);
}

static void a_second_later_lines_pass_again(void **state)
{
    struct log_throttle throttle = {0};

    (void)state;
    for (int i = 0; i < ORDINARY_LINES; i++)
        assert_true(log_throttle_admit(&throttle, BEGIN_NS + (uint64_t)i * MS));
    assert_false(log_throttle_admit(&throttle, BEGIN_NS + NS_PER_SECOND - 1));
    assert_true(log_throttle_admit(&throttle, BEGIN_NS + NS_PER_SECOND));
    assert_false(log_throttle_admit(&throttle, BEGIN_NS + NS_PER_SECOND));
    assert_true(log_throttle_admit(&throttle, BEGIN_NS + NS_PER_SECOND + MS));
}

/* This holds for every second, also for one that begins between two ticks. */
static void no_second_has_more_than_ten_lines(void **state)
{
    enum { CALLS = 5000 };
    struct log_throttle throttle = {0};
    static uint64_t written_ns[2 * CALLS];
    uint64_t now_ns = BEGIN_NS, taken = 0, held_back;
    unsigned random = 1;
    size_t n = 0, refused = 0;

    (void)state;
    for (int i = 0; i < CALLS; i++) {
        random = random * 1103515245 + 12345;
        now_ns += random % (150 * MS);
        if (!log_throttle_admit(&throttle, now_ns)) {
            refused++;
            continue;
        }
        written_ns[n++] = now_ns;
        held_back = log_throttle_take_held_back(&throttle, now_ns);
        taken += held_back;
        if (held_back > 0)
            written_ns[n++] = now_ns;
    }
    assert_true(refused > 0 && taken > 0);
    assert_int_equal(taken + throttle.held_back, refused);
    for (size_t i = LOG_LINES_PER_SECOND; i < n; i++)
        assert_true(written_ns[i] - written_ns[i - LOG_LINES_PER_SECOND] >= NS_PER_SECOND);
}

static void how_many_were_held_back__is_written_beside_the_next_line(void **state)
{
    struct log_throttle throttle = {0};
    uint64_t later_ns = BEGIN_NS + NS_PER_SECOND;

    (void)state;
    for (int i = 0; i < 50; i++)
        (void)log_throttle_admit(&throttle, BEGIN_NS);
    assert_true(log_throttle_admit(&throttle, later_ns));
    assert_int_equal(log_throttle_take_held_back(&throttle, later_ns), 50 - ORDINARY_LINES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nine_lines_pass_and_the_tenth_says_how_many_did_not),
        cmocka_unit_test(nothing_held_back__needs_no_line),
        cmocka_unit_test(a_second_later_lines_pass_again),
        cmocka_unit_test(no_second_has_more_than_ten_lines),
        cmocka_unit_test(how_many_were_held_back__is_written_beside_the_next_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
