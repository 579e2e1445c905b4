/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What targets had on each CPU (`by: cpu`) and NUMA node (`by: node`), on a machine of the test's
 * own: of two CPUs, or of four in two nodes.
 */
#include "cycle/collector_fixture.h"

#include <time.h>

#include "base/clock.h"

#define CLOCK    PERF_COUNT_SW_TASK_CLOCK
#define SWITCHES PERF_COUNT_SW_CONTEXT_SWITCHES

#define TIME_OF     "pmu_cgroup_cpu_time_by_cpu_seconds_total"
#define SWITCHES_OF "pmu_cgroup_context_switches_by_cpu_total"

#define TIME_BY_NODE     "pmu_cgroup_cpu_time_by_node_seconds_total"
#define SWITCHES_BY_NODE "pmu_cgroup_context_switches_by_node_total"

#define GROUPS "groups: [{name: software, events: [task-clock, context-switches]}]\n"

static const char cgroups[] = GROUPS "linger: 60s\n"
                                     "targets: {cgroups: [{include: [\"/*\"], groups: [software], "
                                     "by: cpu}]}\n";
static const char cgroups_by_node[] = GROUPS "linger: 60s\n"
                                             "targets: {cgroups: [{include: [\"/*\"], groups: "
                                             "[software], by: node}]}\n";
static const char machine_by_node[] = GROUPS "targets: {system: {groups: [software], by: node}}\n";
static const char machine[] = GROUPS "targets: {system: {groups: [software], by: cpu}}\n";

static struct fixture_tree sysfs;

static void set_online(const char *cpus)
{
    fixture_tree_write(&sysfs, "devices/system/cpu/online", cpus);
}

static int set_up_machine(void **state)
{
    int r = set_up(state);
    struct fixture *f = *state;

    sysfs = fixture_tree_open();
    fixture_tree_write(&sysfs, "bus/event_source/devices/software/type", "1\n");
    set_online("0-1\n");
    use_machine(f, &sysfs);
    return r;
}

static int tear_down_machine(void **state)
{
    int r = tear_down(state);

    fixture_tree_close(&sysfs);
    return r;
}

/* The only cgroup runs on a CPU for so long, and is switched so often. */
static void run(struct fixture *f, int cpu, uint64_t ns, uint64_t switches)
{
    fake_run(&f->perf, CLOCK, cpu, ns, ns);
    fake_count(&f->perf, CLOCK, cpu, ns);
    fake_count(&f->perf, SWITCHES, cpu, switches);
}

/* What a target had in a domain, whose label has this value. NULL: it has no such series. */
static const union number *of_domain(const struct fixture *f, const char *target,
                                     const char *family, const char *label, const char *value)
{
    struct snapshot_row row;

    if (!find_row(f, target, &row))
        return NULL;
    for (size_t i = 0; i < row.plan->n_columns; i++) {
        const struct column *column = &row.plan->columns[i];
        const char *number = column_label(column, label);

        if (strcmp(column->name, family) == 0 && number && strcmp(number, value) == 0)
            return &row.numbers[i];
    }
    return NULL;
}

static const union number *of_cpu(const struct fixture *f, const char *target, const char *family,
                                  const char *cpu)
{
    return of_domain(f, target, family, "cpu", cpu);
}

static void assert_of_node(const struct fixture *f, const char *target, const char *family,
                           const char *node, uint64_t expected)
{
    const union number *number = of_domain(f, target, family, "node", node);

    assert_non_null(number);
    assert_int_equal(number->count, expected);
}

static void assert_of_cpu(const struct fixture *f, const char *target, const char *family,
                          const char *cpu, uint64_t expected)
{
    const union number *number = of_cpu(f, target, family, cpu);

    assert_non_null(number);
    assert_int_equal(number->count, expected);
}

/* Over the CPUs it is the total of the same snapshot, to the nanosecond. */
static void assert_sums_of(const struct fixture *f, const char *target, const char *time_of,
                           const char *switches_of)
{
    const char *const sums[][2] = {
        {time_of, "pmu_cgroup_task_clock_seconds_total"},
        {switches_of, "pmu_cgroup_context_switches_total"},
    };
    struct snapshot_row row;

    assert_true(find_row(f, target, &row));
    for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
        uint64_t sum = 0;

        for (size_t c = 0; c < row.plan->n_columns; c++)
            if (strcmp(row.plan->columns[c].name, sums[i][0]) == 0 &&
                row.numbers[c].count != NUMBER_ABSENT_COUNT)
                sum += row.numbers[c].count;
        assert_int_equal(snapshot_row_number(&row, sums[i][1], NULL)->count, sum);
    }
}

static void assert_sums(const struct fixture *f, const char *target)
{
    assert_sums_of(f, target, TIME_OF, SWITCHES_OF);
}

static void cgroup__that_moves_has_on_each_cpu_what_it_had_there(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, cgroups);
    cycle(f);
    assert_of_cpu(f, "/a", TIME_OF, "0", 0);
    run(f, 0, 700000001, 3);
    cycle(f);
    assert_of_cpu(f, "/a", TIME_OF, "0", 700000001);
    assert_of_cpu(f, "/a", TIME_OF, "1", 0);
    run(f, 1, 299999998, 4);
    run(f, 0, 5, 0);
    cycle(f);
    assert_of_cpu(f, "/a", TIME_OF, "0", 700000006);
    assert_of_cpu(f, "/a", TIME_OF, "1", 299999998);
    assert_of_cpu(f, "/a", SWITCHES_OF, "0", 3);
    assert_of_cpu(f, "/a", SWITCHES_OF, "1", 4);
    assert_sums(f, "/a");
    destroy(f, "a");
}

static void cgroup__of_a_rule_without_it_has_no_series_by_cpu(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, GROUPS "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n");
    cycle(f);
    assert_non_null(find(f, "/a", COLUMN_TOTAL));
    assert_null(find(f, "/a", COLUMN_TIME_BY_DOMAIN));
    assert_null(find(f, "/a", COLUMN_SWITCHES_BY_DOMAIN));
    destroy(f, "a");
}

static void cgroup__that_has_ended_keeps_it_and_a_rebirth_begins_at_zero(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, cgroups);
    cycle(f);
    run(f, 1, 1000, 2);
    destroy(f, "a"); /* between two cycles */
    cycle(f);
    assert_of_cpu(f, "/a", TIME_OF, "1", 1000);
    assert_sums(f, "/a");
    make(f, "a");
    cycle(f);
    assert_of_cpu(f, "/a", TIME_OF, "1", 0);
    destroy(f, "a");
}

/* The kernel closes the counters of a CPU that goes; they are read once more. */
static void cpu__that_goes_keeps_its_total_and_goes_on_when_it_comes_back(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, cgroups);
    cycle(f);
    run(f, 0, 100, 1);
    run(f, 1, 1000, 2);
    cycle(f);
    run(f, 1, 30, 1);
    set_online("0\n");
    start_successor(f, cgroups);
    cycle(f);
    assert_of_cpu(f, "/a", TIME_OF, "1", 1030);
    run(f, 0, 7, 1);
    cycle(f);
    assert_of_cpu(f, "/a", TIME_OF, "0", 107);
    assert_of_cpu(f, "/a", TIME_OF, "1", 1030);
    assert_sums(f, "/a");
    set_online("0-1\n");
    start_successor(f, cgroups);
    cycle(f);
    run(f, 1, 5, 1);
    cycle(f);
    assert_of_cpu(f, "/a", TIME_OF, "1", 1035);
    assert_of_cpu(f, "/a", SWITCHES_OF, "1", 4);
    assert_sums(f, "/a");
    destroy(f, "a");
}

static void cpu__that_never_was_there_has_no_series(void **state)
{
    struct fixture *f = *state;

    set_online("0\n");
    make(f, "a");
    start(f, cgroups);
    cycle(f);
    assert_of_cpu(f, "/a", TIME_OF, "0", 0);
    assert_null(of_cpu(f, "/a", TIME_OF, "1"));
    destroy(f, "a");
}

/* Info, start, created, doubt, 2 totals, enabled, running, coverage, 2 rates: 11; by CPU 4 more. */
static void series__by_cpu_are_counted_and_what_is_above_the_limit_is_refused(void **state)
{
    static const struct {
        const char *yaml;
        size_t n;
    } cases[] = {
        {GROUPS "limits: {series: 29}\n"
                "targets: {cgroups: [{include: [\"/*\"], groups: [software], by: cpu}]}\n",
         1},
        {GROUPS "limits: {series: 30}\n"
                "targets: {cgroups: [{include: [\"/*\"], groups: [software], by: cpu}]}\n",
         2},
        {GROUPS "limits: {series: 22}\n"
                "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n",
         2},
    };
    struct fixture *f = *state;

    make(f, "a");
    make(f, "b");
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        start(f, cases[i].yaml);
        cycle(f);
        assert_int_equal(f->snapshot->roster->parts[0].n, cases[i].n);
        assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_LIMIT],
                         2 - cases[i].n);
        f->collector = collector_free(f->collector);
        f->config = config_free(f->config);
    }
    destroy(f, "a");
    destroy(f, "b");
}

/* Fields are in hundredths of a second. */
static void set_stat(const struct fixture_tree *procfs, unsigned cpu0, unsigned cpu1)
{
    char text[256];

    (void)snprintf(text, sizeof(text),
                   "cpu  %u 0 0 9999 99 0 0 9 0 0\ncpu0 %u 0 0 1 1 0 0 9\ncpu1 %u 0 0 1 1 0 0 9\n",
                   cpu0 + cpu1, cpu0, cpu1);
    fixture_tree_write(procfs, "stat", text);
}

/* CPUs 0 and 2 are of node 0, and CPUs 1 and 3 of node 4, as a machine may number them. */
static void set_nodes(void)
{
    set_online("0-3\n");
    for (int cpu = 0; cpu < 4; cpu++) {
        char path[64];

        (void)snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/node%d/cpulist", cpu,
                       cpu % 2 ? 4 : 0);
        fixture_tree_write(&sysfs, path, "\n");
    }
}

static void cgroup__has_in_each_node_what_it_had_on_its_cpus(void **state)
{
    struct fixture *f = *state;

    set_nodes();
    make(f, "a");
    start(f, cgroups_by_node);
    cycle(f);
    assert_of_node(f, "/a", TIME_BY_NODE, "0", 0);
    for (int cpu = 0; cpu < 4; cpu++)
        run(f, cpu, 1000 + (uint64_t)cpu, 1 + (uint64_t)cpu);
    cycle(f);
    assert_of_node(f, "/a", TIME_BY_NODE, "0", 2002);
    assert_of_node(f, "/a", TIME_BY_NODE, "4", 2004);
    assert_of_node(f, "/a", SWITCHES_BY_NODE, "0", 4);
    assert_of_node(f, "/a", SWITCHES_BY_NODE, "4", 6);
    assert_sums_of(f, "/a", TIME_BY_NODE, SWITCHES_BY_NODE);
    assert_null(of_cpu(f, "/a", TIME_OF, "0"));
    set_online("0,2\n"); /* a node without CPUs keeps what it had */
    start_successor(f, cgroups_by_node);
    cycle(f);
    run(f, 2, 5, 1);
    cycle(f);
    assert_of_node(f, "/a", TIME_BY_NODE, "0", 2007);
    assert_of_node(f, "/a", TIME_BY_NODE, "4", 2004);
    destroy(f, "a");
}

/* As in many virtual machines. */
static void cgroup__is_in_node_0_where_the_kernel_tells_no_nodes(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, cgroups_by_node);
    cycle(f);
    run(f, 0, 10, 1);
    run(f, 1, 1000, 2);
    cycle(f);
    assert_of_node(f, "/a", TIME_BY_NODE, "0", 1010);
    assert_sums_of(f, "/a", TIME_BY_NODE, SWITCHES_BY_NODE);
    destroy(f, "a");
}

/* Half a second is the least in which ticks are counted. */
static void wait_for_ticks(void)
{
    const struct timespec time = {.tv_nsec = 520000000};

    (void)nanosleep(&time, NULL);
}

static void machine__by_cpu_has_the_kernels_time_of_each(void **state)
{
    static const char family[] = "pmu_machine_cpu_time_by_cpu_seconds_total";
    struct fixture_tree procfs = fixture_tree_open();
    struct fixture *f = *state;
    struct snapshot_row row;

    f->procfs_fd = procfs.fd;
    set_stat(&procfs, 100, 200);
    start(f, machine);
    cycle(f);
    assert_of_cpu(f, "", family, "0", 0);
    set_stat(&procfs, 130, 207);
    wait_for_ticks();
    cycle(f);
    assert_of_cpu(f, "", family, "0", 30 * NS_PER_SECOND / 100);
    assert_of_cpu(f, "", family, "1", 7 * NS_PER_SECOND / 100);
    set_stat(&procfs, 130, 210);
    start_successor(f, machine); /* what was counted until now goes on */
    wait_for_ticks();
    cycle(f);
    assert_of_cpu(f, "", family, "0", 30 * NS_PER_SECOND / 100);
    assert_of_cpu(f, "", family, "1", 10 * NS_PER_SECOND / 100);
    assert_true(find_row(f, "", &row));
    assert_int_equal(snapshot_row_number(&row, "pmu_machine_cpu_seconds_total", NULL)->count,
                     40 * NS_PER_SECOND / 100);
    fixture_tree_close(&procfs);
}

static void machine__by_node_is_one_and_has_the_kernels_time_of_each_node(void **state)
{
    static const char family[] = "pmu_machine_cpu_time_by_node_seconds_total";
    struct fixture_tree procfs = fixture_tree_open();
    struct fixture *f = *state;
    struct snapshot_row row;

    f->procfs_fd = procfs.fd;
    set_nodes();
    set_online("0-1\n");
    set_stat(&procfs, 100, 200);
    start(f, machine_by_node);
    cycle(f);
    assert_of_node(f, "", family, "4", 0);
    set_stat(&procfs, 130, 207);
    wait_for_ticks();
    cycle(f);
    assert_of_node(f, "", family, "0", 30 * NS_PER_SECOND / 100);
    assert_of_node(f, "", family, "4", 7 * NS_PER_SECOND / 100);
    assert_true(find_row(f, "", &row));
    assert_non_null(snapshot_row_number(&row, "pmu_machine_context_switches_total", NULL));
    assert_null(snapshot_row_number(&row, "pmu_machine_cpu_time_by_cpu_seconds_total", NULL));
    fixture_tree_close(&procfs);
}

#define MACHINE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_machine, tear_down_machine)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MACHINE_TEST(cgroup__that_moves_has_on_each_cpu_what_it_had_there),
        MACHINE_TEST(cgroup__of_a_rule_without_it_has_no_series_by_cpu),
        MACHINE_TEST(cgroup__that_has_ended_keeps_it_and_a_rebirth_begins_at_zero),
        MACHINE_TEST(cpu__that_goes_keeps_its_total_and_goes_on_when_it_comes_back),
        MACHINE_TEST(cpu__that_never_was_there_has_no_series),
        MACHINE_TEST(series__by_cpu_are_counted_and_what_is_above_the_limit_is_refused),
        MACHINE_TEST(machine__by_cpu_has_the_kernels_time_of_each),
        MACHINE_TEST(cgroup__has_in_each_node_what_it_had_on_its_cpus),
        MACHINE_TEST(cgroup__is_in_node_0_where_the_kernel_tells_no_nodes),
        MACHINE_TEST(machine__by_node_is_one_and_has_the_kernels_time_of_each_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
