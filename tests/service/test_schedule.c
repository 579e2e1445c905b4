/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "service/schedule.h"

static void schedule__stays_on_its_grid(void **state)
{
    struct schedule schedule = {.due_ns = 1000, .interval_ns = 100};

    (void)state;
    assert_int_equal(schedule_advance(&schedule, 1030), 0);
    assert_int_equal(schedule.due_ns, 1100);
    assert_int_equal(schedule_advance(&schedule, 1199), 0);
    assert_int_equal(schedule.due_ns, 1200);
}

static void schedule__leaves_out_what_is_late_and_makes_no_burst(void **state)
{
    struct schedule schedule = {.due_ns = 1000, .interval_ns = 100};

    (void)state;
    assert_int_equal(schedule_advance(&schedule, 1450), 4);
    assert_int_equal(schedule.due_ns, 1500);
    assert_int_equal(schedule_advance(&schedule, 1500), 0);
    assert_int_equal(schedule_advance(&schedule, 1700), 1);
    assert_int_equal(schedule.due_ns, 1800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedule__stays_on_its_grid),
        cmocka_unit_test(schedule__leaves_out_what_is_late_and_makes_no_burst),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
