/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <stdlib.h>

#include "count/event_trial.h"
#include "support/fake_perf.h"

struct fixture {
    struct fake_perf perf;
    struct event event;
    struct cpu_list *cpus;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    fake_perf_init(&f->perf);
    f->event =
        (struct event){.name = (char *)"event",
                       .code = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS}};
    f->perf.counters = 4;
    assert_int_equal(cpu_list_parse("0-3", &f->cpus), 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(f->perf.n_open, 0);
    (void)cpu_list_free(f->cpus);
    free(f);
    return 0;
}

static void assert_trial(struct fixture *f, enum absence absence, enum scope_kind scope)
{
    const struct event_trial trial = event_try(&f->perf.ops, &f->event, f->cpus);

    assert_int_equal(trial.absence, absence);
    assert_int_equal(trial.scope, scope);
}

static void an_event_that_runs_counts_for_tasks(void **state)
{
    assert_trial(*state, ABSENCE_NONE, SCOPE_PROCESS);
}

static void an_event_that_never_gets_a_counter_is_never_scheduled(void **state)
{
    struct fixture *f = *state;

    f->perf.taken = f->perf.counters;
    assert_trial(f, ABSENCE_NEVER_SCHEDULED, SCOPE_PROCESS);
}

static int refuse_tasks(struct fake_perf *fake, const struct perf_event_attr *attr, int cpu,
                        int group_fd)
{
    (void)fake, (void)attr, (void)group_fd;
    return cpu < 0 ? -EINVAL : 0;
}

static int refuse_all_rights(struct fake_perf *fake, const struct perf_event_attr *attr, int cpu,
                             int group_fd)
{
    (void)fake, (void)attr, (void)cpu, (void)group_fd;
    return -EACCES;
}

static int refuse_all(struct fake_perf *fake, const struct perf_event_attr *attr, int cpu,
                      int group_fd)
{
    (void)fake, (void)attr, (void)cpu, (void)group_fd;
    return -EINVAL;
}

static void what_the_kernel_does_not_count_for_tasks_is_counted_system_wide(void **state)
{
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_tasks;
    assert_trial(f, ABSENCE_NONE, SCOPE_SYSTEM);
}

static void an_uncore_event_is_tried_on_the_cpus_of_its_pmu_only(void **state)
{
    struct fixture *f = *state;

    f->event.is_uncore = true;
    assert_trial(f, ABSENCE_NONE, SCOPE_SYSTEM);
    assert_int_equal(f->perf.events[f->perf.next - 1].cpu, 0);
    assert_int_equal(f->perf.events[f->perf.next - 1].pid, -1);
    (void)cpu_list_free(f->cpus);
    assert_int_equal(cpu_list_parse("", &f->cpus), 0);
    assert_trial(f, ABSENCE_CPU_OFFLINE, SCOPE_SYSTEM);
}

static void a_refusal_has_its_reason(void **state)
{
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_all;
    assert_trial(f, ABSENCE_NOT_SUPPORTED, SCOPE_PROCESS);
    f->perf.refuse_open = refuse_all_rights;
    assert_trial(f, ABSENCE_NOT_PERMITTED, SCOPE_PROCESS);
}

static void a_filter_that_the_kernel_does_not_take_is_a_bad_filter(void **state)
{
    struct fixture *f = *state;
    AUTO(shared_text) struct shared_text *filter = shared_text_new("prev_prio <");

    assert_non_null(filter);
    f->event.code.filter = filter;
    f->perf.refuse_open = refuse_all;
    assert_trial(f, ABSENCE_BAD_FILTER, SCOPE_PROCESS);
    f->event.code.filter = NULL;
}

static void a_name_that_cannot_be_counted_is_not_tried(void **state)
{
    struct fixture *f = *state;
    const int before = f->perf.next;

    f->event.absence = ABSENCE_NO_PMU;
    assert_trial(f, ABSENCE_NO_PMU, SCOPE_PROCESS);
    assert_int_equal(f->perf.next, before);
}

static void the_kernel_counts_the_clock_of_a_task(void **state)
{
    struct fixture *f = *state;
    struct event_trial trial;

    f->event.code =
        (struct event_code){.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK};
    trial = event_try(&perf_ops_kernel, &f->event, f->cpus);
    assert_true(trial.absence == ABSENCE_NONE || trial.absence == ABSENCE_NOT_PERMITTED);
    f->event.code.config = 12345; /* no such event */
    assert_int_equal(event_try(&perf_ops_kernel, &f->event, f->cpus).absence,
                     trial.absence == ABSENCE_NONE ? ABSENCE_NOT_SUPPORTED : trial.absence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_event_that_runs_counts_for_tasks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_event_that_never_gets_a_counter_is_never_scheduled,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            what_the_kernel_does_not_count_for_tasks_is_counted_system_wide, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_uncore_event_is_tried_on_the_cpus_of_its_pmu_only,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_refusal_has_its_reason, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_filter_that_the_kernel_does_not_take_is_a_bad_filter,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_name_that_cannot_be_counted_is_not_tried, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_kernel_counts_the_clock_of_a_task, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("count_event_trial", tests, NULL, NULL);
}
