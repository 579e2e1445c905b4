/* SPDX-License-Identifier: Apache-2.0 */

/* The collector on machines with a PMU of a number of counters. */
#include "cycle/collector_fixture.h"

#include "support/fixture_tree.h"

#define CYCLES       PERF_COUNT_HW_CPU_CYCLES
#define INSTRUCTIONS PERF_COUNT_HW_INSTRUCTIONS

/* A machine of one CPU whose core has a PMU. */
static struct fixture_tree sysfs;

static int set_up_machine(void **state)
{
    struct fixture *f;

    sysfs = fixture_tree_open();
    fixture_tree_write(&sysfs, "bus/event_source/devices/cpu/type", "4\n");
    fixture_tree_write(&sysfs, "bus/event_source/devices/software/type", "1\n");
    fixture_tree_write(&sysfs, "devices/system/cpu/online", "0\n");
    (void)set_up(state);
    f = *state;
    use_machine(f, &sysfs);
    f->perf.counters = 6;
    return 0;
}

static int tear_down_machine(void **state)
{
    fixture_tree_close(&sysfs);
    return tear_down(state);
}

#define GROUPS                                                                                     \
    "groups:\n"                                                                                    \
    "  - {name: core, events: [cycles, instructions, branches, branch-misses]}\n"                  \
    "  - {name: software, events: [page-faults]}\n"
#define SYSTEM  "  system: {groups: [core, software]}\n"
#define CGROUPS "  cgroups: [{include: [\"/**\"], groups: [core, software]}]\n"
#define BOTH    GROUPS "targets:\n" SYSTEM CGROUPS

/* How many events of the scope are absent for this reason. */
static size_t n_events(const struct fixture *f, const char *scope, enum absence absence)
{
    const struct catalogue *catalogue = f->snapshot->roster->catalogue;
    size_t n = 0;

    for (size_t i = 0; i < catalogue->n_events; i++)
        n += strcmp(catalogue->events[i].scope, scope) == 0 &&
             catalogue->events[i].absence == absence;
    return n;
}

/* How many events of the PMU are open with that descriptor of a cgroup; -1: system-wide. */
static int n_hardware(const struct fixture *f, pid_t pid)
{
    int n = 0;

    for (int i = 0; i < f->perf.next; i++)
        n += fake_is_hardware(&f->perf.events[i]) && f->perf.events[i].pid == pid;
    return n;
}

static int n_all_hardware(const struct fixture *f)
{
    int n = 0;

    for (int i = 0; i < f->perf.next; i++)
        n += fake_is_hardware(&f->perf.events[i]);
    return n;
}

static int n_software(const struct fixture *f)
{
    return f->perf.n_open - n_all_hardware(f);
}

static void auto__counts_within_half_of_what_is_free(void **state)
{
    struct fixture *f = *state;

    start(f, BOTH);
    make(f, "a");
    cycle(f);
    assert_int_equal(n_all_hardware(f), 3);
    assert_int_equal(n_hardware(f, -1), 0);
    assert_int_equal(n_software(f), 2);
    assert_int_equal(n_events(f, "cgroup", ABSENCE_OVER_BUDGET), 1);
    assert_int_equal(n_events(f, "system", ABSENCE_OVER_BUDGET), 4);
    assert_int_equal(n_events(f, "system", ABSENCE_NONE), 1);
    assert_int_equal(f->snapshot->status.pmu_free, 6);
    assert_int_equal(f->snapshot->status.pmu_budget, 3);
    assert_int_equal(f->snapshot->status.pmu_used, 3);
    /* What the configuration leaves out is no matter of the target: it is counted as a whole. */
    assert_int_equal(f->snapshot->status.targets[SCOPE_CGROUP], 1);
}

static void auto__the_system_alone_has_all_that_is_ours(void **state)
{
    struct fixture *f = *state;

    f->perf.counters = 8;
    start(f, GROUPS "targets:\n" SYSTEM);
    cycle(f);
    assert_int_equal(n_hardware(f, -1), 4);
    assert_int_equal(n_events(f, "system", ABSENCE_OVER_BUDGET), 0);
}

static void auto__what_others_hold_is_not_free(void **state)
{
    struct fixture *f = *state;

    f->perf.taken = 4;
    start(f, BOTH);
    make(f, "a");
    cycle(f);
    assert_int_equal(n_all_hardware(f), 1);
    assert_int_equal(f->snapshot->status.pmu_free, 2);
}

static void auto__software_goes_on_where_nothing_is_free(void **state)
{
    struct fixture *f = *state;

    f->perf.taken = 6;
    start(f, BOTH);
    make(f, "a");
    cycle(f);
    count(f, 3);
    cycle(f);
    assert_int_equal(n_all_hardware(f), 0);
    assert_int_equal(total(f, "/a"), 3);
    assert_int_equal(n_events(f, "cgroup", ABSENCE_PMU_BUSY), 4);
    assert_int_equal(f->snapshot->status.pmu_budget, 0);
}

static void number__is_taken_at_its_word(void **state)
{
    struct fixture *f = *state;

    start(f, "limits: {pmu_counters: 5}\n" BOTH);
    make(f, "a");
    cycle(f);
    assert_int_equal(n_all_hardware(f), 5);
    assert_int_equal(n_hardware(f, -1), 1);
    assert_int_equal(f->snapshot->status.pmu_budget, 5);
}

static void all__counts_everything_and_has_no_budget(void **state)
{
    struct fixture *f = *state;

    start(f, "limits: {pmu_counters: all}\n" BOTH);
    make(f, "a");
    cycle(f);
    assert_int_equal(n_all_hardware(f), 8);
    assert_int_equal(n_events(f, "system", ABSENCE_OVER_BUDGET), 0);
    assert_true(f->snapshot->status.pmu_budget == NUMBER_ABSENT_COUNT);
    assert_int_equal(f->snapshot->status.pmu_used, 8);
}

static void without_a_pmu__nothing_is_probed_and_nothing_is_shown(void **state)
{
    struct fixture *f = *state;

    f->perf.counters = 0;
    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "targets: {system: {groups: [software]}}\n");
    assert_int_equal(f->perf.n_reads, 0);
    cycle(f);
    assert_true(f->snapshot->status.pmu_free == NUMBER_ABSENT_COUNT);
    assert_true(f->snapshot->status.pmu_used == NUMBER_ABSENT_COUNT);
}

static void nested__those_that_stand_at_the_start_share(void **state)
{
    struct fixture *f = *state;

    f->perf.counters = 8;
    make(f, "a");
    make(f, "a/b");
    make(f, "c");
    start(f, BOTH);
    cycle(f);
    /* two levels of two each; what lies beside them takes nothing from them */
    assert_int_equal(n_all_hardware(f), 3 * 2);
    assert_int_equal(n_hardware(f, -1), 0);
    assert_int_equal(n_events(f, "cgroup", ABSENCE_OVER_BUDGET), 2);
    assert_int_equal(f->snapshot->status.targets[SCOPE_CGROUP], 3);
    assert_int_equal(f->snapshot->status.pmu_used, 4);
}

static void nested__a_newcomer_without_room_is_counted_without_the_pmu(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, BOTH);
    cycle(f);
    make(f, "a/b");
    make(f, "b");
    cycle(f);
    count(f, 7);
    cycle(f);
    assert_int_equal(n_all_hardware(f), 2 * 3); /* /a and /b */
    assert_int_equal(n_software(f), 4);
    assert_int_equal(f->snapshot->status.targets[SCOPE_CGROUP], 2);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_BUDGET], 1);
    assert_int_equal(f->snapshot->status.dropped[SCOPE_CGROUP][ABSENCE_OVER_BUDGET], 1);
    assert_int_equal(f->snapshot->status.pmu_used, 3);
}

static uint64_t total_of(const struct fixture *f, const char *path, const char *family)
{
    const union number *number = NULL;
    struct snapshot_row row;

    if (find_row(f, path, &row))
        number = snapshot_row_number(&row, family, NULL);
    if (!number)
        fail_msg("%s has no %s", path, family);
    return number ? number->count : 0;
}

static void nested__a_newcomer_without_room_shows_no_number_of_the_pmu(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, BOTH);
    cycle(f);
    make(f, "a/b");
    cycle(f);
    count(f, 7);
    cycle(f);
    assert_int_equal(total_of(f, "/a/b", "pmu_cgroup_page_faults_total"), 7);
    assert_true(total_of(f, "/a/b", "pmu_cgroup_cycles_total") == NUMBER_ABSENT_COUNT);
    assert_int_equal(total_of(f, "/a", "pmu_cgroup_cycles_total"), 7);
}

static void nested__what_is_left_of_the_budget_serves_newcomers(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, "limits: {pmu_counters: 8}\n" GROUPS "targets:\n" CGROUPS);
    cycle(f);
    make(f, "a/b");
    cycle(f);
    assert_int_equal(n_all_hardware(f), 8);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_BUDGET], 0);
    assert_int_equal(f->snapshot->status.pmu_used, 8);
    make(f, "a/b/c");
    make(f, "a/d");
    cycle(f);
    assert_int_equal(n_all_hardware(f), 12); /* /a/d beside /a/b */
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_BUDGET], 1);
}

static void nested__one_that_was_refused_is_no_longer_wanted_when_it_has_ended(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, BOTH);
    cycle(f);
    make(f, "a/b");
    cycle(f);
    cycle(f);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_BUDGET], 1);
    destroy(f, "a/b");
    cycle(f);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_BUDGET], 0);
    assert_non_null(find(f, "/a/b", COLUMN_TOTAL)); /* it lingers */
}

/* The counters of a cgroup that ends are given to one that is made. */
static void nested__the_place_of_one_that_ended_is_free(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    make(f, "a/b");
    start(f, "limits: {pmu_counters: 8}\n" GROUPS "targets:\n" CGROUPS);
    cycle(f);
    assert_int_equal(n_all_hardware(f), 8);
    destroy(f, "a/b");
    make(f, "a/d");
    cycle(f);
    assert_int_equal(n_all_hardware(f), 8);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_BUDGET], 0);
}

static void reload__keeps_what_was_found_free_and_loses_no_count(void **state)
{
    struct fixture *f = *state;
    uint64_t n_reads;

    make(f, "a");
    start(f, BOTH);
    cycle(f);
    count(f, 5);
    cycle(f);
    n_reads = f->perf.n_reads;
    start_successor(f, BOTH);
    assert_true(f->perf.n_reads - n_reads <= 6); /* two entries of two groups, read by both */
    cycle(f);
    assert_int_equal(f->snapshot->status.pmu_free, 6);
    assert_int_equal(n_all_hardware(f), 3);
    assert_int_equal(total_of(f, "/a", "pmu_cgroup_cycles_total"), 5);
    assert_int_equal(total_of(f, "/a", "pmu_cgroup_page_faults_total"), 5);
}

static void reload__obeys_another_limit(void **state)
{
    struct fixture *f = *state;

    f->perf.counters = 8;
    make(f, "a");
    start(f, "limits: {pmu_counters: all}\n" BOTH);
    cycle(f);
    count(f, 5);
    cycle(f);
    start_successor(f, "limits: {pmu_counters: 2}\n" BOTH);
    cycle(f);
    assert_int_equal(n_all_hardware(f), 2);
    assert_int_equal(total_of(f, "/a", "pmu_cgroup_cycles_total"), 5);
    assert_int_equal(total_of(f, "/a", "pmu_cgroup_page_faults_total"), 5);
}

static void reload__shares_among_those_that_nest_by_then(void **state)
{
    struct fixture *f = *state;

    f->perf.counters = 8;
    make(f, "a");
    start(f, BOTH);
    cycle(f);
    make(f, "a/b");
    cycle(f);
    assert_int_equal(n_all_hardware(f), 4);
    start_successor(f, BOTH);
    cycle(f);
    assert_int_equal(n_all_hardware(f), 4); /* two each */
    assert_int_equal(f->snapshot->status.targets[SCOPE_CGROUP], 2);
}

static void reload__looks_again_where_nothing_was_ours(void **state)
{
    struct fixture *f = *state;

    f->perf.taken = 5;
    make(f, "a");
    start(f, BOTH);
    cycle(f);
    assert_int_equal(n_all_hardware(f), 0);
    f->perf.taken = 0;
    start_successor(f, BOTH);
    cycle(f);
    assert_int_equal(n_all_hardware(f), 3);
}

#define MACHINE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_machine, tear_down_machine)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MACHINE_TEST(auto__counts_within_half_of_what_is_free),
        MACHINE_TEST(auto__the_system_alone_has_all_that_is_ours),
        MACHINE_TEST(auto__what_others_hold_is_not_free),
        MACHINE_TEST(auto__software_goes_on_where_nothing_is_free),
        MACHINE_TEST(number__is_taken_at_its_word),
        MACHINE_TEST(all__counts_everything_and_has_no_budget),
        MACHINE_TEST(without_a_pmu__nothing_is_probed_and_nothing_is_shown),
        MACHINE_TEST(nested__those_that_stand_at_the_start_share),
        MACHINE_TEST(nested__a_newcomer_without_room_is_counted_without_the_pmu),
        MACHINE_TEST(nested__a_newcomer_without_room_shows_no_number_of_the_pmu),
        MACHINE_TEST(nested__what_is_left_of_the_budget_serves_newcomers),
        MACHINE_TEST(nested__one_that_was_refused_is_no_longer_wanted_when_it_has_ended),
        MACHINE_TEST(nested__the_place_of_one_that_ended_is_free),
        MACHINE_TEST(reload__keeps_what_was_found_free_and_loses_no_count),
        MACHINE_TEST(reload__obeys_another_limit),
        MACHINE_TEST(reload__shares_among_those_that_nest_by_then),
        MACHINE_TEST(reload__looks_again_where_nothing_was_ours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
