/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <string.h>

#include "run/schedule_fixture.h"
#include "run/schedule_report.h"

/* How long the thread had the CPU. */
static uint64_t share_of(const struct schedule_report *report, uint32_t cpu, uint32_t thread)
{
    for (size_t i = 0; i < report->shares.n; i++)
        if (report->shares.pairs[i].a == cpu && report->shares.pairs[i].b == thread)
            return report->shares.pairs[i].ns;
    return 0;
}

static void report__who_ran_where_and_who_was_idle(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_trace();
    struct schedule_report report;
    const uint32_t t11 = fixture_index(trace, 11), t12 = fixture_index(trace, 12);
    const uint32_t t13 = fixture_index(trace, 13);

    (void)state;
    assert_int_equal(schedule_report_make(trace, &report), 0);
    assert_int_equal(report.threads[t11].ran_ns, 300 * US); /* from the beginning on */
    assert_int_equal(report.threads[t12].ran_ns, 600 * US); /* 200, and 400 to the end */
    assert_int_equal(report.threads[t13].ran_ns, 200 * US); /* 100 on each CPU */
    assert_int_equal(share_of(&report, 0, t13), 100 * US);
    assert_int_equal(share_of(&report, 1, t13), 100 * US);
    assert_int_equal(report.cpus[0].ran_ns, 1000 * US);
    assert_int_equal(report.cpus[0].idle_ns, 0);
    assert_int_equal(report.cpus[1].ran_ns, 100 * US);
    assert_int_equal(report.cpus[1].idle_ns, 900 * US);
    assert_int_equal(report.ran_ns, 1100 * US);
    assert_int_equal(report.n_switches, 5);
    assert_int_equal(report.cpus[0].n_switches, 3);
    assert_int_equal(report.n_wakes, 3);
    assert_int_equal(report.n_gaps, 0);
    schedule_report_done(&report);
}

static void report__waits_are_from_the_wake_up_or_the_preemption_on(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_trace();
    struct schedule_report report;
    const uint32_t t11 = fixture_index(trace, 11), t12 = fixture_index(trace, 12);
    const struct schedule_thread_figures *figures;

    (void)state;
    assert_int_equal(schedule_report_make(trace, &report), 0);
    figures = &report.threads[t12];
    assert_int_equal(figures->n_waits, 2); /* 200 after its wake-up, 100 while 13 had its CPU */
    assert_int_equal(figures->waited_ns, 300 * US);
    assert_int_equal(figures->longest_ns, 200 * US);
    assert_int_equal(figures->longest.waker, t11);
    assert_int_equal(figures->longest.start_ns, 100 * US);
    assert_int_equal(figures->n_involuntary, 1);
    assert_int_equal(figures->n_voluntary, 0);
    figures = &report.threads[fixture_index(trace, 13)];
    assert_int_equal(figures->n_waits, 2);
    assert_int_equal(figures->waited_ns, 60 * US);
    assert_int_equal(figures->n_blocks, 1); /* before the first one it was not seen to go */
    assert_int_equal(figures->blocked_ns, 90 * US);
    assert_int_equal(figures->n_voluntary, 2);
    assert_int_equal(report.waited_ns, 360 * US);
    assert_int_equal(report.n_longest, 4);
    assert_int_equal(report.longest[0].thread, t12);
    assert_int_equal(report.longest[1].waker, SCHEDULE_NOBODY); /* it was preempted */
    assert_int_equal(report.longest[3].end_ns - report.longest[3].start_ns, 10 * US);
    schedule_report_done(&report);
}

static void report__who_preempted_whom(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_trace();
    struct schedule_report report;

    (void)state;
    assert_int_equal(schedule_report_make(trace, &report), 0);
    assert_int_equal(report.n_preemptions, 1); /* the idle one is never preempted */
    assert_int_equal(report.preemptions.n, 1);
    assert_int_equal(report.preemptions.pairs[0].a, fixture_index(trace, 13));
    assert_int_equal(report.preemptions.pairs[0].b, fixture_index(trace, 12));
    assert_int_equal(report.preemptions.pairs[0].n, 1);
    schedule_report_done(&report);
}

static void report__what_is_lost_is_no_slice_and_no_wait(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = schedule_trace_new();
    struct schedule_record record = fixture_record(SCHEDULE_SWITCH, 400, 0, 11, 12);
    struct schedule_report report;

    (void)state;
    assert_non_null(trace);
    fixture_runs(trace, 0, 0, 11);
    fixture_wake(trace, 100, 0, 11, 12);
    record.state = SLEEPS;
    record.lost = 7; /* others may have run there since 100, and 12 too */
    fixture_add(trace, &record);
    fixture_switch(trace, 500, 0, 12, SLEEPS, 0);
    trace->duration_ns = 600 * US;
    assert_int_equal(schedule_report_make(trace, &report), 0);
    assert_int_equal(report.n_gaps, 1);
    assert_int_equal(report.threads[fixture_index(trace, 11)].ran_ns, 0);
    assert_int_equal(report.threads[fixture_index(trace, 12)].n_waits, 0);
    assert_int_equal(report.threads[fixture_index(trace, 12)].ran_ns, 100 * US);
    assert_int_equal(report.cpus[0].idle_ns, 100 * US);
    schedule_report_done(&report);
}

/* Some kernels do not tell of all switches. */
static void report__after_a_switch_that_was_not_told_nobody_had_the_cpu(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = schedule_trace_new();
    struct schedule_report report;

    (void)state;
    assert_non_null(trace);
    fixture_runs(trace, 0, 0, 11);
    fixture_switch(trace, 100, 0, 11, SLEEPS, 12);
    fixture_switch(trace, 300, 0, 13, SLEEPS, 11);
    trace->duration_ns = 400 * US;
    assert_int_equal(schedule_report_make(trace, &report), 0);
    assert_int_equal(report.n_gaps, 1);
    assert_int_equal(report.threads[fixture_index(trace, 12)].ran_ns, 0);
    assert_int_equal(report.threads[fixture_index(trace, 13)].ran_ns, 0);
    assert_int_equal(report.threads[fixture_index(trace, 11)].ran_ns, 200 * US);
    schedule_report_done(&report);
}

/* The last that is known of a CPU is not true to the end where its last records were lost. */
static void report__of_a_cpu_whose_last_records_are_lost_the_end_is_not_known(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_trace();
    struct schedule_record loss = {
        .time_ns = START + 1000 * US, .cpu = 0, .kind = SCHEDULE_LOSS, .lost = 3};
    struct schedule_report report;

    (void)state;
    fixture_add(trace, &loss);
    assert_int_equal(schedule_report_make(trace, &report), 0);
    assert_int_equal(report.threads[fixture_index(trace, 12)].ran_ns, 200 * US); /* not 600 */
    assert_int_equal(report.cpus[0].ran_ns, 600 * US);
    assert_int_equal(report.cpus[1].ran_ns + report.cpus[1].idle_ns, 1000 * US);
    assert_int_equal(report.n_gaps, 1);
    assert_int_equal(report.n_switches, 5);
    assert_int_equal(report.n_wakes, 3);
    schedule_report_done(&report);
}

/* Of a target that is not the machine, others are seen only beside it. */
static void report__others_have_no_slices(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = schedule_trace_new();
    struct schedule_record come = fixture_record(SCHEDULE_SWITCH, 100, 0, 99, 11);
    struct schedule_record go = fixture_record(SCHEDULE_SWITCH, 250, 0, 11, 98);
    struct schedule_record again = fixture_record(SCHEDULE_SWITCH, 700, 0, 97, 11);
    struct schedule_report report;
    AUTO_FREE uint32_t *order = NULL;
    size_t n;

    (void)state;
    assert_non_null(trace);
    come.flags = again.flags = SCHEDULE_B_IS_OURS;
    go.flags = SCHEDULE_A_IS_OURS;
    fixture_add(trace, &come);
    fixture_add(trace, &go);
    fixture_add(trace, &again);
    trace->duration_ns = 1000 * US;
    assert_int_equal(schedule_report_make(trace, &report), 0);
    assert_int_equal(report.n_gaps, 0);
    assert_int_equal(report.ran_ns, 450 * US);
    assert_int_equal(report.threads[fixture_index(trace, 11)].ran_ns, 450 * US);
    assert_int_equal(report.threads[fixture_index(trace, 98)].ran_ns, 0);
    assert_int_equal(report.preemptions.pairs[0].a, fixture_index(trace, 98));
    assert_int_equal(schedule_report_order(trace, &report, &order, &n), 0);
    assert_int_equal(n, 1); /* nothing is told of the others */
    assert_int_equal(order[0], fixture_index(trace, 11));
    schedule_report_done(&report);
}

/* A thread can move into the cgroup that is recorded, and nobody tells of it. */
static void report__who_joins_the_target_while_it_runs_has_not_run_from_the_start(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = schedule_trace_new();
    struct schedule_record early = fixture_record(SCHEDULE_SWITCH, 3, 0, 11, 98);
    struct schedule_record late = fixture_record(SCHEDULE_SWITCH, 900, 1, 12, 99);
    struct schedule_report report;

    (void)state;
    assert_non_null(trace);
    trace->begun_ns = 10 * US;
    early.flags = late.flags = SCHEDULE_A_IS_OURS;
    fixture_add(trace, &early); /* before its CPU could tell who runs */
    fixture_add(trace, &late);  /* its CPU has told of nobody of the target */
    trace->duration_ns = 1000 * US;
    assert_int_equal(schedule_report_make(trace, &report), 0);
    assert_int_equal(report.threads[fixture_index(trace, 11)].ran_ns, 3 * US);
    assert_int_equal(report.threads[fixture_index(trace, 12)].ran_ns, 0);
    assert_int_equal(report.ran_ns, 3 * US);
    assert_int_equal(report.n_gaps, 1);
    schedule_report_done(&report);
}

/* The waker may be faster than the one that is about to sleep. */
static void report__who_is_woken_while_it_leaves_waits_from_then_on(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = schedule_trace_new();
    struct schedule_report report;
    const struct schedule_thread_figures *figures;

    (void)state;
    assert_non_null(trace);
    fixture_runs(trace, 0, 0, 11);
    fixture_runs(trace, 0, 1, 12);
    fixture_wake(trace, 99, 1, 12, 11);
    fixture_switch(trace, 100, 0, 11, SLEEPS, 0);
    fixture_switch(trace, 130, 0, 0, 0, 11);
    trace->duration_ns = 200 * US;
    assert_int_equal(schedule_report_make(trace, &report), 0);
    figures = &report.threads[fixture_index(trace, 11)];
    assert_int_equal(figures->n_waits, 1);
    assert_int_equal(figures->waited_ns, 30 * US);
    assert_int_equal(figures->longest.waker, fixture_index(trace, 12));
    assert_int_equal(figures->n_blocks, 0);
    schedule_report_done(&report);
}

static void report__of_many_waits_the_longest_are_kept_in_order(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = schedule_trace_new();
    struct schedule_report report;
    uint64_t us = 0;

    (void)state;
    assert_non_null(trace);
    fixture_runs(trace, 0, 0, 11);
    for (unsigned i = 0; i < 300; i++) {
        const unsigned wait = i * 7 % 300 + 1; /* each from 1 to 300 once */

        fixture_wake(trace, us + 1, 0, 11, 12);
        fixture_switch(trace, us + 1 + wait, 0, 11, 0, 12);
        us += wait + 2;
        fixture_switch(trace, us, 0, 12, SLEEPS, 11);
    }
    trace->duration_ns = us * US;
    assert_int_equal(schedule_report_make(trace, &report), 0);
    assert_int_equal(report.n_longest, SCHEDULE_WAITS_MAX);
    for (unsigned i = 0; i < SCHEDULE_WAITS_MAX; i++)
        assert_int_equal(report.longest[i].end_ns - report.longest[i].start_ns, (300 - i) * US);
    assert_int_equal(report.threads[fixture_index(trace, 12)].n_waits, 300);
    schedule_report_done(&report);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(report__who_ran_where_and_who_was_idle),
        cmocka_unit_test(report__waits_are_from_the_wake_up_or_the_preemption_on),
        cmocka_unit_test(report__who_preempted_whom),
        cmocka_unit_test(report__what_is_lost_is_no_slice_and_no_wait),
        cmocka_unit_test(report__after_a_switch_that_was_not_told_nobody_had_the_cpu),
        cmocka_unit_test(report__of_a_cpu_whose_last_records_are_lost_the_end_is_not_known),
        cmocka_unit_test(report__others_have_no_slices),
        cmocka_unit_test(report__who_joins_the_target_while_it_runs_has_not_run_from_the_start),
        cmocka_unit_test(report__who_is_woken_while_it_leaves_waits_from_then_on),
        cmocka_unit_test(report__of_many_waits_the_longest_are_kept_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
