/* SPDX-License-Identifier: Apache-2.0 */

/* How a successor goes on with groups of processes. */
#include "cycle/collector_processes_fixture.h"

#include "cycle/collector_parts.h"
#include "cycle/cpu_times.h"

static void successor__goes_on_with_counters_that_have_inherited(void **state)
{
    struct fixture *f = *state;
    const struct fake_event *event;

    add_process(100, "web", 5);
    start(f, web);
    cycle(f);
    event = fake_find_thread(&f->perf, PAGE_FAULTS, 100);
    count_thread(f, 100, 3);
    cycle(f);
    add_thread(100, 101); /* inherited: a fresh look would count it apart */
    count_thread(f, 100, 4);
    start_successor(f, web);
    cycle(f);
    assert_int_equal(total(f, "web"), 7);
    assert_ptr_equal(fake_find_thread(&f->perf, PAGE_FAULTS, 100), event);
    assert_null(fake_find_thread(&f->perf, PAGE_FAULTS, 101));
    assert_int_equal(f->perf.n_open, 1);
}

#define COSTLY      30 /* more than an update looks at: their arguments take 250,000 steps each */
#define N_ARGUMENTS 4000

static void add_costly(pid_t pid)
{
    char path[32], arguments[N_ARGUMENTS + 1];

    memset(arguments, 'x', N_ARGUMENTS);
    arguments[N_ARGUMENTS] = '\0';
    add_process(pid, "costly", 5);
    (void)snprintf(path, sizeof(path), "%d/cmdline", pid);
    fixture_tree_write(&procfs, path, arguments);
}

static void count_each(struct fixture *f, pid_t first, pid_t end, uint64_t faults)
{
    for (pid_t pid = first; pid < end; pid++)
        count_thread(f, pid, faults);
}

/* Some come before the others in /proc and some after them, in whatever order it is read. */
static void successor__goes_on_with_each_process_however_long_others_take(void **state)
{
    static const char yaml[] =
        "groups: [{name: software, events: [page-faults]}]\n"
        "targets: {processes: [{name: web, comm: [web], groups: [software]},"
        " {name: costly, cmdline: [\"(x*)\\\\1z|^y\"], groups: [software]}]}\n";
    struct fixture *f = *state;

    for (pid_t pid = 100; pid < 105; pid++)
        add_process(pid, "web", 5);
    for (pid_t pid = 200; pid < 200 + COSTLY; pid++)
        add_costly(pid);
    for (pid_t pid = 900; pid < 905; pid++)
        add_process(pid, "web", 5);
    start(f, yaml);
    for (int i = 0;
         i < COSTLY && (!f->snapshot || !find(f, "web", COLUMN_MEMBERS) || members(f) < 10); i++)
        cycle(f);
    count_each(f, 100, 105, 3);
    count_each(f, 900, 905, 3);
    start_successor(f, yaml);
    count_each(f, 100, 105, 4);
    count_each(f, 900, 905, 4);
    cycle(f);
    assert_int_equal(total(f, "web"), 70);
    assert_int_equal(members(f), 10);
}

static void successor__opens_afresh_where_the_events_are_others_and_keeps_the_totals(void **state)
{
    struct fixture *f = *state;

    add_process(100, "web", 5);
    start(f, web);
    cycle(f);
    count_thread(f, 100, 3);
    cycle(f);
    add_thread(100, 101);
    count_thread(f, 100, 4);
    start_successor(f, "groups: [{name: software, events: [page-faults, context-switches]}]\n"
                       "targets: {processes: [{name: web, comm: [web], groups: [software]}]}\n");
    cycle(f);
    assert_int_equal(total(f, "web"), 7);
    assert_int_equal(f->perf.n_open, 4);
}

static void successor__keeps_groups_without_members_while_a_rule_makes_their_name(void **state)
{
    struct fixture *f = *state;

    add_process(100, "web", 5);
    start(f, web);
    cycle(f);
    count_thread(f, 100, 3);
    cycle(f);
    end_process(100);
    cycle(f);
    cycle(f);
    start_successor(f, web);
    cycle(f);
    assert_int_equal(total(f, "web"), 3);
    start_successor(f, "groups: [{name: software, events: [page-faults]}]\n"
                       "targets: {processes: [{name: x, comm: [web], groups: [software]}]}\n");
    cycle(f);
    assert_null(find(f, "web", COLUMN_TOTAL));
}

/* Numbers that are no totals, such as how many members there are, are not added to the old ones. */
static void successor__does_not_add_up_who_is_undecided(void **state)
{
    static const char hostile[] =
        "groups: [{name: software, events: [page-faults]}]\n"
        "targets: {processes: [{name: web, cmdline: ['(x*)\\1z|^web'], groups: [software]}]}\n";
    struct fixture *f = *state;
    char arguments[4000];

    memset(arguments, 'x', sizeof(arguments));
    arguments[sizeof(arguments) - 1] = '\0';
    add_process(100, "web", 5);
    fixture_tree_write(&procfs, "100/cmdline", arguments);
    start(f, hostile);
    cycle(f);
    assert_int_equal(f->snapshot->status.processes_undecided, 1);
    for (int i = 0; i < 3; i++) {
        start_successor(f, hostile);
        cycle(f);
        assert_int_equal(f->snapshot->status.processes_undecided, 1);
    }
}

/* For how long the group ran on the first CPU; the time of day is that of the next ten seconds. */
static uint64_t ran_on_0(struct fixture *f)
{
    const uint64_t later_ns = (f->collector->cpu_times_slot + 1) * 10 * NS_PER_SECOND;
    struct snapshot_cpus *times = collector_cpu_times(f->collector, later_ns);
    uint64_t ran_ns;

    assert_non_null(times);
    ran_ns = *snapshot_cpus_row(times, f->collector->roster, 0);
    (void)snapshot_cpus_free(times);
    return ran_ns;
}

/* Where processes are counted whole. Each of them runs for a millisecond with each count(). */
static void successor__goes_on_with_where_processes_ran(void **state)
{
    struct fixture *f = *state;

    f->mechanism->counts_processes = true;
    add_process(100, "web", 5);
    add_process(200, "web", 6);
    start(f, web);
    cycle(f);
    count(f, 1);
    cycle(f);
    assert_int_equal(ran_on_0(f), 2000000);
    end_process(200);
    cycle(f);
    assert_int_equal(ran_on_0(f), 2000000); /* it outlives the member */
    count(f, 1);
    start_successor(f, web);
    cycle(f);
    assert_int_equal(ran_on_0(f), 3000000);
    end_process(100);
    cycle(f);
    start_successor(f, web);
    cycle(f);
    assert_int_equal(members(f), 0);
    assert_int_equal(ran_on_0(f), 3000000); /* nobody runs: that is known */
}

static void successor__does_not_know_where_threads_ran(void **state)
{
    struct fixture *f = *state;

    f->mechanism->counts_processes = true;
    add_process(100, "web", 5);
    start(f, web);
    cycle(f);
    count(f, 1);
    cycle(f);
    assert_int_equal(ran_on_0(f), 1000000);
    f->mechanism->counts_processes = false;
    start_successor(f, web);
    cycle(f);
    assert_true(ran_on_0(f) == NUMBER_ABSENT_COUNT);
}

/* A configuration in which each process has a series of its own, and so many have room. */
static void start_singles(struct fixture *f, unsigned processes,
                          void (*begin)(struct fixture *, const char *))
{
    char yaml[256];

    (void)snprintf(yaml, sizeof(yaml),
                   "linger: 0s\n"
                   "groups: [{name: software, events: [page-faults]}]\n"
                   "limits: {processes: %u}\n"
                   "targets: {processes: [{name: \"{{.Comm}}-{{.PID}}\", comm: [web, base],"
                   " groups: [software]}]}\n",
                   processes);
    begin(f, yaml);
    cycle(f);
}

/* Counts two groups, then leaves room for one. Returns the name of the other one. */
static const char *leave_one_out(struct fixture *f)
{
    add_process(100, "web", 5);
    add_process(200, "base", 6);
    start_singles(f, 10, start);
    count_thread(f, 100, 3);
    count_thread(f, 200, 3);
    start_singles(f, 1, start_successor);
    cycle(f);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_PROCESS][ABSENCE_OVER_LIMIT], 1);
    assert_int_equal(total(f, "web-100"), 3);
    assert_int_equal(total(f, "base-200"), 3);
    return find(f, "web-100", COLUMN_MEMBERS)->count == 1 ? "base-200" : "web-100";
}

static void successor__without_room_for_a_process_keeps_its_totals_until_there_is(void **state)
{
    struct fixture *f = *state;
    const char *rests = leave_one_out(f);
    const pid_t pid = strcmp(rests, "web-100") == 0 ? 100 : 200;

    start_singles(f, 10, start_successor);
    cycle(f);
    assert_int_equal(total(f, rests), 3);
    count_thread(f, pid, 4);
    cycle(f);
    assert_int_equal(total(f, rests), 7);
}

static void process__that_ends_while_there_is_no_room_for_it_does_not_stay(void **state)
{
    struct fixture *f = *state;
    const char *rests = leave_one_out(f);

    end_process(strcmp(rests, "web-100") == 0 ? 100 : 200);
    for (int i = 0; i < 3; i++)
        cycle(f);
    assert_null(find(f, rests, COLUMN_TOTAL));
    assert_int_equal(f->snapshot->roster->parts[0].n, 1);
}

static void process__of_the_number_of_one_for_which_there_was_no_room_begins_anew(void **state)
{
    struct fixture *f = *state;
    const char *rests = leave_one_out(f);
    const pid_t pid = strcmp(rests, "web-100") == 0 ? 100 : 200;

    end_process(pid);
    add_process(pid, pid == 100 ? "web" : "base", 50);
    start_singles(f, 10, start_successor);
    cycle(f);
    assert_int_equal(total(f, rests), 0);
    assert_int_equal(f->snapshot->roster->parts[0].n, 2);
}

/* A configuration with two names, and room for that many series. */
static void start_two(struct fixture *f, unsigned series,
                      void (*begin)(struct fixture *, const char *))
{
    char yaml[256];

    (void)snprintf(yaml, sizeof(yaml),
                   "groups: [{name: software, events: [page-faults]}]\n"
                   "limits: {series: %u}\n"
                   "targets: {processes: [{name: \"{{.Comm}}\", comm: [web, base],"
                   " groups: [software]}]}\n",
                   series);
    begin(f, yaml);
}

static void count_and_end(struct fixture *f, pid_t pid)
{
    count_thread(f, pid, 3);
    cycle(f);
    end_process(pid);
    cycle(f);
    cycle(f);
}

static void successor__without_room_for_all_groups_keeps_the_one_that_rests_last(void **state)
{
    struct fixture *f = *state;
    unsigned series;

    add_process(100, "web", 5);
    start_two(f, 1000, start);
    cycle(f);
    series = (unsigned)f->snapshot->roster->catalogue->plans[0]->n_columns;
    add_process(200, "base", 6);
    cycle(f);
    count_and_end(f, 200);
    count_and_end(f, 100);
    start_two(f, series, start_successor);
    cycle(f);
    assert_int_equal(total(f, "web"), 3);
    assert_null(find(f, "base", COLUMN_TOTAL));
}

static void successor__without_room_for_a_group_closes_its_counters(void **state)
{
    struct fixture *f = *state;

    add_process(100, "web", 5);
    start_two(f, 1000, start);
    cycle(f);
    assert_int_equal(f->perf.n_open, 1);
    start_two(f, 1, start_successor);
    cycle(f);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_PROCESS][ABSENCE_OVER_LIMIT], 1);
}

/* Two processes of one start have one name by it. Which of them was entered last does not matter.
 */
static void check_start_time_without(struct fixture *f, pid_t pid)
{
    static const char by_start[] =
        "groups: [{name: software, events: [page-faults]}]\n"
        "targets: {processes: [{name: \"at {{.StartTime}}\", comm: [web],"
        " groups: [software]}]}\n";
    const struct roster_part *part;
    size_t n_labels;

    add_process(100, "web", 5);
    add_process(200, "web", 5);
    start(f, by_start);
    cycle(f);
    count_thread(f, 100, 3);
    count_thread(f, 200, 3);
    cycle(f);
    end_process(pid);
    cycle(f);
    start_successor(f, by_start);
    cycle(f);
    part = &f->snapshot->roster->parts[0];
    assert_int_equal(part->n, 1);
    assert_int_equal(total(f, identity_labels(part->identities[0], &n_labels)[0].value), 6);
}

static void successor__goes_on_with_a_start_time_of_which_the_first_has_ended(void **state)
{
    check_start_time_without(*state, 100);
}

static void successor__goes_on_with_a_start_time_of_which_the_second_has_ended(void **state)
{
    check_start_time_without(*state, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCFS_TEST(successor__does_not_add_up_who_is_undecided),
        PROCFS_TEST(successor__goes_on_with_where_processes_ran),
        PROCFS_TEST(successor__does_not_know_where_threads_ran),
        PROCFS_TEST(successor__goes_on_with_counters_that_have_inherited),
        PROCFS_TEST(successor__goes_on_with_each_process_however_long_others_take),
        PROCFS_TEST(successor__opens_afresh_where_the_events_are_others_and_keeps_the_totals),
        PROCFS_TEST(successor__keeps_groups_without_members_while_a_rule_makes_their_name),
        PROCFS_TEST(successor__without_room_for_all_groups_keeps_the_one_that_rests_last),
        PROCFS_TEST(successor__without_room_for_a_process_keeps_its_totals_until_there_is),
        PROCFS_TEST(process__that_ends_while_there_is_no_room_for_it_does_not_stay),
        PROCFS_TEST(process__of_the_number_of_one_for_which_there_was_no_room_begins_anew),
        PROCFS_TEST(successor__without_room_for_a_group_closes_its_counters),
        PROCFS_TEST(successor__goes_on_with_a_start_time_of_which_the_first_has_ended),
        PROCFS_TEST(successor__goes_on_with_a_start_time_of_which_the_second_has_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
