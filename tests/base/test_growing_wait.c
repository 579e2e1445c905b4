/* SPDX-License-Identifier: Apache-2.0 */
#include "base/growing_wait.h"

#include "base/cleanup.h"
#include "support/check.h"

#define MINUTE (60 * NS_PER_SECOND)

static void growing_wait__does_not_hold_up_what_was_never_told(void **state)
{
    const struct growing_wait wait = {0};

    (void)state;
    assert_true(growing_wait_is_over(&wait, 0));
}

static void growing_wait__of_what_goes_on_doubles_up_to_an_hour(void **state)
{
    static const unsigned minutes[] = {1, 2, 4, 8, 16, 32, 60, 60, 60};
    struct growing_wait wait = {0};
    uint64_t now_ns = 5 * MINUTE;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(minutes); i++) {
        growing_wait_begin(&wait, now_ns);
        assert_false(growing_wait_is_over(&wait, now_ns + minutes[i] * MINUTE - 1));
        now_ns += minutes[i] * MINUTE;
        assert_true(growing_wait_is_over(&wait, now_ns));
    }
}

static void growing_wait__begins_with_a_minute_again_after_a_quiet_hour(void **state)
{
    struct growing_wait wait = {0};

    (void)state;
    growing_wait_begin(&wait, 0);
    growing_wait_begin(&wait, 1 * MINUTE);
    growing_wait_begin(&wait, (3 + 60) * MINUTE - 1); /* the second ended at 3 */
    assert_true(wait.length_ns == 4 * MINUTE);
    growing_wait_begin(&wait, wait.end_ns + 60 * MINUTE);
    assert_true(wait.length_ns == 1 * MINUTE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growing_wait__does_not_hold_up_what_was_never_told),
        cmocka_unit_test(growing_wait__of_what_goes_on_doubles_up_to_an_hour),
        cmocka_unit_test(growing_wait__begins_with_a_minute_again_after_a_quiet_hour),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
