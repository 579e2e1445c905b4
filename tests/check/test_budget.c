/* SPDX-License-Identifier: Apache-2.0 */
#include "check/budget.h"

#include "resolve/decision_fixture.h"

static void print(const struct decision_fixture *f)
{
    check_print_budget(f->resolution, &f->share);
}

static const char *report(struct decision_fixture *f, const char *yaml)
{
    decide(f, yaml);
    return printed(f, print);
}

static void report__says_what_is_free_what_is_ours_and_what_is_left_out(void **state)
{
    assert_string_equal(report(*state, CORE "targets:\n" SYSTEM CGROUPS),
                        "hardware counters of each CPU: 6 free now, pmu_exporter may use 3 "
                        "(limits.pmu_counters: auto, half)\n"
                        "  processes 0 + nested cgroups 3 + system 0 = 3 in use at once\n"
                        "  left out: system, group core: cycles instructions branches\n");
}

static void report__adds_up_what_nests_now(void **state)
{
    struct decision_fixture *f = *state;

    fixture_tree_make_directories(&f->cgroups, "a/b/");
    assert_string_equal(report(f, "limits: {pmu_counters: 5}\n" CORE "targets:\n" SYSTEM CGROUPS),
                        "hardware counters of each CPU: 6 free now, pmu_exporter may use 5 "
                        "(limits.pmu_counters)\n"
                        "  processes 0 + nested cgroups 4 + system 1 = 5 in use at once\n"
                        "  left out: system, group core: instructions branches\n"
                        "  left out: cgroup rule 1, group core: branches\n");
}

static void report__processes_have_theirs_first(void **state)
{
    assert_string_equal(report(*state,
                               "limits: {pmu_counters: 4}\n" CORE "targets:\n" SYSTEM CGROUPS
                               "  processes: [{comm: [x], groups: [core]}]\n"),
                        "hardware counters of each CPU: 6 free now, pmu_exporter may use 4 "
                        "(limits.pmu_counters)\n"
                        "  processes 3 + nested cgroups 1 + system 0 = 4 in use at once\n"
                        "  left out: system, group core: cycles instructions branches\n"
                        "  left out: cgroup rule 1, group core: instructions branches\n"
                        "  left out: cgroup rule 2, group core: instructions branches\n");
}

static void report__of_what_is_shared_counts_each_group_once(void **state)
{
    struct decision_fixture *f = *state;

    for (size_t kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        f->machine.is_shared[kind] = true;
    assert_string_equal(report(f, CORE "targets:\n" SYSTEM CGROUPS),
                        "hardware counters of each CPU: 6 free now, pmu_exporter may use 3 "
                        "(limits.pmu_counters: auto, half)\n"
                        "  processes 0 + nested cgroups 3 + system 0 = 3 in use at once\n");
}

static void report__of_all_says_what_it_costs_others(void **state)
{
    const char *printed = report(*state, "limits: {pmu_counters: all}\n" CORE "targets:\n" SYSTEM);

    assert_non_null(strstr(printed, "limits.pmu_counters is all: the kernel multiplexes what is "
                                    "wanted beyond them, and who counts single tasks has what "
                                    "is left\n"));
    assert_null(strstr(printed, "left out"));
}

static void report__says_nothing_where_no_counter_is_wanted_or_may_be_had(void **state)
{
    struct decision_fixture *f = *state;

    assert_string_equal(report(f, "groups: [{name: core, events: [page-faults]}]\n"
                                  "targets:\n" SYSTEM),
                        "");
    f->perf.refuse_open = refuse_all;
    assert_string_equal(report(f, CORE "targets:\n" SYSTEM), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DECISION_TEST(report__says_what_is_free_what_is_ours_and_what_is_left_out),
        DECISION_TEST(report__adds_up_what_nests_now),
        DECISION_TEST(report__processes_have_theirs_first),
        DECISION_TEST(report__of_what_is_shared_counts_each_group_once),
        DECISION_TEST(report__of_all_says_what_it_costs_others),
        DECISION_TEST(report__says_nothing_where_no_counter_is_wanted_or_may_be_had),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
