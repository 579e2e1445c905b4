/* SPDX-License-Identifier: Apache-2.0 */

/* The machine's CPU time, over a procfs of the test's own. */
#include "cycle/collector_fixture.h"

#include <time.h>

#include "base/clock.h"
#include "support/fixture_tree.h"

#define MACHINE(by)                                                                                \
    "groups: [{name: software, events: [page-faults]}]\n"                                          \
    "targets: {system: {groups: [software], by: " by "}}\n"
#define CGROUPS                                                                                    \
    "groups: [{name: software, events: [page-faults]}]\n"                                          \
    "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n"

/* A field of /proc/stat is in hundredths of a second. */
static void set_stat(const struct fixture_tree *procfs, unsigned user, unsigned system)
{
    char text[128];

    (void)snprintf(text, sizeof(text), "cpu  %u 0 %u 9999 99 0 0 9 0 0\ncpu0 1 2 3\n", user,
                   system);
    fixture_tree_write(procfs, "stat", text);
}

/* Waits for long enough that there is a rate. */
static void wait_for_a_rate(void)
{
    const struct timespec time = {.tv_nsec = 520000000};

    (void)nanosleep(&time, NULL);
}

/* A number of the machine. NULL: it has no such family. */
static const union number *number(const struct fixture *f, const char *name)
{
    struct snapshot_row row;

    return find_row(f, "", &row) ? snapshot_row_number(&row, name, NULL) : NULL;
}

static uint64_t used_ns(const struct fixture *f)
{
    const union number *found = number(f, "pmu_machine_cpu_seconds_total");

    assert_non_null(found);
    return found->count;
}

static void check_machine(struct fixture *f, const char *yaml)
{
    struct fixture_tree procfs = fixture_tree_open();

    f->procfs_fd = procfs.fd;
    set_stat(&procfs, 100, 100);
    start(f, yaml);
    cycle(f);
    assert_int_equal(used_ns(f), 0);
    assert_true(isnan(number(f, "pmu_machine_cpus_used")->real));
    assert_true(number(f, "pmu_machine_cpus")->count > 0);
    set_stat(&procfs, 130, 110);
    wait_for_a_rate();
    cycle(f);
    assert_int_equal(used_ns(f), 4 * NS_PER_SECOND / 10);
    assert_true(number(f, "pmu_machine_cpus_used")->real > 0);
    fixture_tree_close(&procfs);
}

static void machine__has_cpu_time_by_all(void **state)
{
    check_machine(*state, MACHINE("all"));
}

static void machine__has_cpu_time_as_the_sum_of_its_cpus(void **state)
{
    check_machine(*state, MACHINE("cpu"));
}

static void machine__has_none_where_only_cgroups_are_counted(void **state)
{
    struct fixture *f = *state;

    start(f, CGROUPS);
    cycle(f);
    assert_null(number(f, "pmu_machine_cpus"));
}

static void machine__has_no_cpu_time_where_proc_does_not_tell(void **state)
{
    struct fixture *f = *state;

    start(f, MACHINE("all"));
    cycle(f);
    assert_int_equal(used_ns(f), NUMBER_ABSENT_COUNT);
    assert_true(isnan(number(f, "pmu_machine_cpus_used")->real));
}

static void machine__has_the_busy_time_of_each_cpu_once_in_ten_seconds(void **state)
{
    struct fixture *f = *state;
    struct fixture_tree procfs = fixture_tree_open();
    uint64_t begin_ns = clock_realtime_ns(), slots;

    f->procfs_fd = procfs.fd;
    fixture_tree_write(&procfs, "stat", "cpu  1 0 1 9 9 0 0\ncpu0 20 0 30 9 9 0 0\n");
    start(f, MACHINE("all"));
    cycle(f);
    assert_non_null(f->snapshot->cpus);
    assert_true(f->snapshot->cpus->n_cpus > 0);
    assert_int_equal(f->snapshot->cpus->numbers[0], 0);
    assert_int_equal(f->snapshot->cpus->ran_ns[0], NS_PER_SECOND / 2);
    cycle(f);
    slots = f->snapshot->taken_realtime_ns / (10 * NS_PER_SECOND) - begin_ns / (10 * NS_PER_SECOND);
    assert_true(slots > 0 || !f->snapshot->cpus); /* unless ten seconds began meanwhile */
    fixture_tree_close(&procfs);
}

static void cgroup__has_the_time_that_it_ran_on_each_cpu(void **state)
{
    struct fixture *f = *state;
    struct snapshot_row row;

    make(f, "a");
    start(f, CGROUPS);
    cycle(f);
    assert_true(find_row(f, "/a", &row));
    assert_non_null(f->snapshot->cpus);
    for (size_t i = 0; i < f->snapshot->cpus->n_cpus; i++)
        assert_int_equal(f->snapshot->cpus->ran_ns[i], 0);
}

static void machine__loses_no_cpu_time_by_a_reload(void **state)
{
    struct fixture *f = *state;
    struct fixture_tree procfs = fixture_tree_open();

    f->procfs_fd = procfs.fd;
    set_stat(&procfs, 0, 0);
    start(f, MACHINE("all"));
    cycle(f);
    set_stat(&procfs, 30, 0); /* nobody has read that when the successor comes */
    start_successor(f, MACHINE("cpu"));
    set_stat(&procfs, 50, 0);
    wait_for_a_rate();
    cycle(f);
    assert_int_equal(used_ns(f), NS_PER_SECOND / 2);
    fixture_tree_close(&procfs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(machine__has_cpu_time_by_all),
        TEST(machine__has_cpu_time_as_the_sum_of_its_cpus),
        TEST(machine__has_none_where_only_cgroups_are_counted),
        TEST(machine__has_no_cpu_time_where_proc_does_not_tell),
        TEST(machine__has_the_busy_time_of_each_cpu_once_in_ten_seconds),
        TEST(cgroup__has_the_time_that_it_ran_on_each_cpu),
        TEST(machine__loses_no_cpu_time_by_a_reload),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
