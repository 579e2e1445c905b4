/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/collector_fixture.h"

#include "check/budget.h"
#include "support/fixture_tree.h"

#define CORE   "groups: [{name: core, events: [cycles, instructions, branches]}]\n"
#define SYSTEM "  system: {groups: [core]}\n"
#define CGROUPS                                                                                    \
    "  cgroups: [{include: [\"/**\"], groups: [core]}, {include: [/x], groups: [core]}]\n"

struct machine {
    struct fixture_tree sysfs, cgroups;
    struct fake_perf perf;
    struct event_resolver *resolver;
    bool is_shared;
    char printed[4096];
};

static int set_up_machine(void **state)
{
    struct machine *m = calloc(1, sizeof(*m));

    m->sysfs = fixture_tree_open();
    fixture_tree_write(&m->sysfs, "bus/event_source/devices/cpu/type", "4\n");
    fixture_tree_write(&m->sysfs, "bus/event_source/devices/software/type", "1\n");
    fixture_tree_write(&m->sysfs, "devices/system/cpu/online", "0\n");
    m->cgroups = fixture_tree_open();
    fake_perf_init(&m->perf);
    m->perf.counters = 6;
    assert_int_equal(event_resolver_new(m->sysfs.fd, &m->resolver), 0);
    *state = m;
    return 0;
}

static int tear_down_machine(void **state)
{
    struct machine *m = *state;

    assert_int_equal(m->perf.n_open, 0);
    (void)event_resolver_free(m->resolver);
    fixture_tree_close(&m->sysfs);
    fixture_tree_close(&m->cgroups);
    free(m);
    return 0;
}

/* What is written to standard output meanwhile. */
static const char *report(struct machine *m, const char *yaml)
{
    AUTO(config) struct config *config = parse(yaml);
    FILE *file = tmpfile();
    int out = dup(STDOUT_FILENO);

    (void)fflush(stdout);
    (void)dup2(fileno(file), STDOUT_FILENO);
    assert_int_equal(
        budget_report(config, m->resolver, &m->perf.ops, m->sysfs.fd, m->cgroups.fd, m->is_shared),
        0);
    (void)fflush(stdout);
    (void)dup2(out, STDOUT_FILENO);
    (void)close(out);
    rewind(file);
    m->printed[fread(m->printed, 1, sizeof(m->printed) - 1, file)] = '\0';
    (void)fclose(file);
    return m->printed;
}

static void report__says_what_is_free_what_is_ours_and_what_is_left_out(void **state)
{
    assert_string_equal(report(*state, CORE "targets:\n" SYSTEM CGROUPS),
                        "hardware counters of each CPU: 6 free now, 3 ours to use "
                        "(limits.pmu_counters: auto, half)\n"
                        "  processes 0 + nested cgroups 3 + system 0 = 3 in use at once\n"
                        "  left out: system, group core: cycles instructions branches\n");
}

static void report__adds_up_what_nests_now(void **state)
{
    struct machine *m = *state;

    fixture_tree_make_directories(&m->cgroups, "a/b/");
    assert_string_equal(report(m, "limits: {pmu_counters: 5}\n" CORE "targets:\n" SYSTEM CGROUPS),
                        "hardware counters of each CPU: 6 free now, 5 ours to use "
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
                        "hardware counters of each CPU: 6 free now, 4 ours to use "
                        "(limits.pmu_counters)\n"
                        "  processes 3 + nested cgroups 1 + system 0 = 4 in use at once\n"
                        "  left out: system, group core: cycles instructions branches\n"
                        "  left out: cgroup rule 1, group core: instructions branches\n"
                        "  left out: cgroup rule 2, group core: instructions branches\n");
}

static void report__of_what_is_shared_counts_each_group_once(void **state)
{
    struct machine *m = *state;

    m->is_shared = true;
    assert_string_equal(report(m, CORE "targets:\n" SYSTEM CGROUPS),
                        "hardware counters of each CPU: 6 free now, 3 ours to use "
                        "(limits.pmu_counters: auto, half)\n"
                        "  processes 0 + nested cgroups 3 + system 0 = 3 in use at once\n");
}

static void report__of_all_says_what_it_costs_others(void **state)
{
    const char *printed = report(*state, "limits: {pmu_counters: all}\n" CORE "targets:\n" SYSTEM);

    assert_non_null(strstr(printed, "limits.pmu_counters is all: beyond those the kernel gives "
                                    "turns, and who counts tasks has what is left\n"));
    assert_null(strstr(printed, "left out"));
}

static int refuse(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu, int group_fd)
{
    (void)perf;
    (void)attr;
    (void)cpu;
    (void)group_fd;
    return -EACCES;
}

static void report__says_nothing_where_no_counter_is_wanted_or_may_be_had(void **state)
{
    struct machine *m = *state;

    assert_string_equal(report(m, "groups: [{name: core, events: [page-faults]}]\n"
                                  "targets:\n" SYSTEM),
                        "");
    m->perf.refuse_open = refuse;
    assert_string_equal(report(m, CORE "targets:\n" SYSTEM), "");
}

#define MACHINE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_machine, tear_down_machine)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MACHINE_TEST(report__says_what_is_free_what_is_ours_and_what_is_left_out),
        MACHINE_TEST(report__adds_up_what_nests_now),
        MACHINE_TEST(report__processes_have_theirs_first),
        MACHINE_TEST(report__of_what_is_shared_counts_each_group_once),
        MACHINE_TEST(report__of_all_says_what_it_costs_others),
        MACHINE_TEST(report__says_nothing_where_no_counter_is_wanted_or_may_be_had),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
