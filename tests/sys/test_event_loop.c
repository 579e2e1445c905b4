/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/event_loop.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* In place of the library's loop: it fails so often, then goes on, and is over after three turns.
 */
static int failures, turns;

int sd_event_run(sd_event *event, uint64_t timeout)
{
    (void)event, (void)timeout;
    if (failures > 0) {
        failures--;
        return -ENOMEM;
    }
    return ++turns;
}

int sd_event_get_state(sd_event *event)
{
    (void)event;
    return turns < 3 ? SD_EVENT_INITIAL : SD_EVENT_FINISHED;
}

int sd_event_get_exit_code(sd_event *event, int *ret)
{
    (void)event;
    return *ret = 7, 0;
}

static int reset(void **state)
{
    (void)state;
    failures = turns = 0;
    return 0;
}

static void run__ends_with_the_code_of_the_loop(void **state)
{
    (void)state;
    assert_int_equal(event_loop_run(NULL), 7);
    assert_int_equal(turns, 3);
}

static void run__goes_on_where_a_call_fails_for_a_moment(void **state)
{
    (void)state;
    failures = 2;
    assert_int_equal(event_loop_run(NULL), 7);
    assert_int_equal(failures, 0);
}

static void run__ends_where_each_call_fails(void **state)
{
    (void)state;
    failures = 1000;
    assert_int_equal(event_loop_run(NULL), -ENOMEM);
    assert_int_equal(turns, 0);
    assert_true(failures > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, reset)
        TEST(run__ends_with_the_code_of_the_loop),
        TEST(run__goes_on_where_a_call_fails_for_a_moment),
        TEST(run__ends_where_each_call_fails),
    };

    return cmocka_run_group_tests_name("event_loop", tests, NULL, NULL);
}
