/* SPDX-License-Identifier: Apache-2.0 */
#include "check/left_out.h"

#include "resolve/decision_fixture.h"

static void print(const struct decision_fixture *f)
{
    check_print_refused(f->resolution);
}

static const char *report(struct decision_fixture *f, const char *yaml)
{
    decide(f, yaml);
    return printed(f, print);
}

/* As perf.refuse_open it is a kernel that counts no instructions, and nothing of processes. */
static int refuse_some(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                       int group_fd)
{
    (void)perf;
    (void)group_fd;
    if (attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_INSTRUCTIONS)
        return -EOPNOTSUPP;
    return cpu < 0 ? -EACCES : 0;
}

static void what_the_kernel_counts__is_not_printed(void **state)
{
    assert_string_equal(report(*state, CORE "targets:\n" SYSTEM CGROUPS), "");
}

static void what_the_kernel_refuses__is_printed_by_its_reason(void **state)
{
    struct decision_fixture *f = *state;
    const char *text;

    f->perf.refuse_open = refuse_some;
    text = report(f, "limits: {pmu_counters: 6}\n" CORE "targets:\n" SYSTEM PROCESSES);
    assert_non_null(strstr(text, "not counted here, not_supported: the kernel or PMU refuses it in "
                                 "this scope\n"
                                 "  left out: system, group core: instructions\n"));
    assert_non_null(strstr(text, "not counted here, not_permitted"));
    assert_non_null(strstr(text, "grant CAP_PERFMON"));
    assert_non_null(strstr(text, "\n  left out: process rule 1, group core: cycles branches\n"));
    assert_null(strstr(text, "cgroup rule"));
}

/* The list of events shows both. */
static void what_this_machine_does_not_know_or_is_left_out_by_design__is_not_printed(void **state)
{
    assert_string_equal(report(*state, "groups: [{name: a, events: [no-such, task-clock]}]\n"
                                       "targets: {system: {groups: [a]}}\n"),
                        "");
}

static void what_our_own_budget_leaves_out__is_not_refused(void **state)
{
    assert_string_equal(report(*state, "limits: {pmu_counters: 1}\n" CORE "targets:\n" SYSTEM), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DECISION_TEST(what_the_kernel_counts__is_not_printed),
        DECISION_TEST(what_the_kernel_refuses__is_printed_by_its_reason),
        DECISION_TEST(what_this_machine_does_not_know_or_is_left_out_by_design__is_not_printed),
        DECISION_TEST(what_our_own_budget_leaves_out__is_not_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
