/* SPDX-License-Identifier: Apache-2.0 */

/* What happens between two cycles. */
#include "cycle/collector_fixture.h"

#include <poll.h>

#include "support/child.h"

/* Starts and runs the first cycle. Other tests on the machine may hold all that inotify has. */
static void start_watching(struct fixture *f, const char *yaml)
{
    start(f, yaml);
    cycle(f);
    if (!f->snapshot->status.cgroup_watching) {
        print_message("skipped: no inotify here (fs.inotify.max_user_instances)\n");
        skip();
    }
}

/* Follows until so many cgroups have counters: one call has little time on a busy machine. */
static void follow_until_counted(struct fixture *f, int n)
{
    const int n_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);

    for (int i = 0; i < 1000 && f->perf.n_open < n * n_cpus; i++)
        (void)collector_follow(f->collector, true);
    assert_int_equal(f->perf.n_open, n * n_cpus);
}

static void birth__between_two_cycles_is_opened_at_once_and_publishes_nothing(void **state)
{
    struct fixture *f = *state;
    struct snapshot *snapshot;

    start_watching(f, lingering);
    make(f, "a");
    follow_until_counted(f, 1);
    snapshot = snapshot_slot_get(f->slot);
    assert_ptr_equal(snapshot, f->snapshot);
    (void)snapshot_unref(snapshot);

    count(f, 7);
    cycle(f);
    assert_int_equal(total(f, "/a"), 7);
    assert_true(isnan(find(f, "/a", COLUMN_RATE)->real)); /* no interval has passed */
    count(f, 2);
    cycle(f);
    assert_int_equal(total(f, "/a"), 9);
    assert_true(find(f, "/a", COLUMN_RATE)->real > 0);
}

static void birth__and_death_between_two_cycles_leave_the_totals(void **state)
{
    struct fixture *f = *state;

    start_watching(f, lingering);
    make(f, "a");
    follow_until_counted(f, 1);
    count(f, 7);
    destroy(f, "a");
    (void)collector_follow(f->collector, true);
    assert_int_equal(f->perf.n_open, 0); /* what is gone is not held until the cycle */
    cycle(f);
    assert_int_equal(total(f, "/a"), 7);
    assert_true(isnan(find(f, "/a", COLUMN_RATE)->real));
}

static void birth__followed_and_gone_before_the_cycle_leaves_the_totals(void **state)
{
    struct fixture *f = *state;

    start_watching(f, lingering);
    make(f, "a");
    follow_until_counted(f, 1);
    count(f, 7);
    destroy(f, "a");
    cycle(f);
    assert_int_equal(total(f, "/a"), 7);
    assert_int_equal(f->perf.n_open, 0);
}

static void birth__for_which_there_is_no_time_is_entered_and_opened_later(void **state)
{
    struct fixture *f = *state;
    bool has_unopened = false;

    start_watching(f, lingering);
    make(f, "a");
    for (int i = 0; i < 1000 && !has_unopened; i++)
        has_unopened = collector_follow(f->collector, false);
    assert_true(has_unopened);
    assert_int_equal(f->perf.n_open, 0);
    assert_true(collector_follow(f->collector, false)); /* it still waits */
    follow_until_counted(f, 1);
    assert_false(collector_follow(f->collector, false));
    count(f, 7);
    cycle(f);
    assert_int_equal(total(f, "/a"), 7);
}

static void end__is_followed_where_there_is_no_time_to_open(void **state)
{
    struct fixture *f = *state;

    start_watching(f, lingering);
    make(f, "a");
    follow_until_counted(f, 1);
    count(f, 7);
    make(f, "b");
    destroy(f, "a");
    for (int i = 0; i < 1000 && f->perf.n_open > 0; i++)
        (void)collector_follow(f->collector, false);
    assert_int_equal(f->perf.n_open, 0);
    cycle(f);
    assert_int_equal(total(f, "/a"), 7);
    assert_int_equal(total(f, "/b"), 0);
}

static uint64_t dropped_as_gone(const struct fixture *f)
{
    return f->snapshot->status.dropped[SCOPE_CGROUP][ABSENCE_TARGET_GONE];
}

static void end__before_anything_was_counted_is_told(void **state)
{
    struct fixture *f = *state;

    start_watching(f, lingering);
    make(f, "a"); /* gone before it is looked at */
    destroy(f, "a");
    cycle(f);
    assert_int_equal(dropped_as_gone(f), 1);
    make(f, "b"); /* gone before it is opened */
    for (int i = 0; i < 1000 && !collector_follow(f->collector, false); i++)
        ;
    destroy(f, "b");
    cycle(f);
    assert_int_equal(dropped_as_gone(f), 2);
    make(f, "c"); /* gone when another one has its name */
    destroy(f, "c");
    make(f, "c");
    cycle(f);
    assert_int_equal(dropped_as_gone(f), 3);
    count(f, 1);
    destroy(f, "c"); /* this one was counted */
    cycle(f);
    assert_int_equal(dropped_as_gone(f), 3);
    assert_int_equal(total(f, "/c"), 1);
}

static void birth__of_a_whole_tree_is_found_at_once(void **state)
{
    struct fixture *f = *state;

    start_watching(f, "groups: [{name: software, events: [page-faults]}]\n"
                      "targets: {cgroups: [{include: [\"/**\"], groups: [software]}]}\n");
    make(f, "a");
    make(f, "a/b");
    make(f, "a/b/c"); /* inotify tells of the first alone */
    follow_until_counted(f, 3);
    count(f, 3);
    destroy(f, "a/b/c");
    destroy(f, "a/b");
    cycle(f);
    assert_int_equal(total(f, "/a"), 3);
    assert_int_equal(total(f, "/a/b"), 3);
    assert_int_equal(total(f, "/a/b/c"), 3);
}

static void birth__between_two_cycles_takes_nothing_from_who_stands(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start_watching(f, lingering);
    count(f, 5);
    make(f, "b");
    follow_until_counted(f, 2);
    count(f, 1);
    cycle(f);
    assert_int_equal(total(f, "/a"), 6);
    assert_int_equal(total(f, "/b"), 1);
    assert_true(find(f, "/a", COLUMN_RATE)->real > 0);
}

static int opens;

static int refuse_and_count(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                            int group_fd)
{
    (void)perf;
    (void)attr;
    (void)cpu;
    (void)group_fd;
    opens++;
    return -ENOMEM;
}

static void birth__leaves_those_that_could_not_be_opened_to_the_cycle(void **state)
{
    struct fixture *f = *state;
    int before;

    start(f, lingering);
    f->perf.refuse_open = refuse_and_count;
    make(f, "a");
    cycle(f);
    cycle(f);
    before = opens;
    assert_int_not_equal(before, 0);
    for (int i = 0; i < 3; i++)
        (void)collector_follow(f->collector, true);
    assert_int_equal(opens, before);
    f->perf.refuse_open = NULL;
}

/* A collector over the real kernel, whose numbers are its own. */
static int set_up_proc(void **state)
{
    struct fixture *f;

    assert_int_equal(set_up(state), 0);
    f = *state;
    f->procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return f->procfs_fd < 0 ? -1 : 0;
}

static int tear_down_proc(void **state)
{
    struct fixture *f = *state;

    (void)close(f->procfs_fd);
    return tear_down(state);
}

static char comm[16];

static void start_processes(struct fixture *f)
{
    char yaml[256];

    (void)snprintf(comm, sizeof(comm), "born.%d", getpid());
    (void)snprintf(yaml, sizeof(yaml),
                   "groups: [{name: software, events: [page-faults]}]\n"
                   "targets: {processes: [{name: born, comm: [%s], groups: [software]}]}\n",
                   comm);
    start(f, yaml);
    cycle(f);
    if (collector_tasks_fd(f->collector) < 0) {
        print_message("skipped: no system-wide perf events here (CAP_PERFMON)\n");
        skip();
    }
}

/* Waits as the service does, until the counters of the thread are open. */
static struct fake_event *follow_until_open(struct fixture *f, pid_t pid)
{
    struct fake_event *event = NULL;

    for (int i = 0; i < 1000 && !event; i++) {
        struct pollfd poll_fd = {.fd = collector_tasks_fd(f->collector), .events = POLLIN};

        if (!collector_arm(f->collector))
            (void)poll(&poll_fd, 1, 10);
        (void)collector_follow(f->collector, true);
        event = fake_find_thread(&f->perf, PAGE_FAULTS, pid);
    }
    assert_non_null(event);
    return event;
}

static void process__born_between_two_cycles_is_counted_to_its_end(void **state)
{
    struct fixture *f = *state;
    struct fake_event *event;
    pid_t pid;

    start_processes(f);
    pid = child_named(comm);
    event = follow_until_open(f, pid);
    event->value += 7;
    event->time_enabled += 1000000;
    event->time_running += 1000000;
    child_end(pid);
    cycle(f);
    cycle(f);
    assert_int_equal(total(f, "born"), 7);
    assert_int_equal(f->perf.n_open, 0);
}

static void process__that_joins_a_group_between_two_cycles_leaves_it_its_rate(void **state)
{
    struct fixture *f = *state;
    struct fake_event *event;
    double rate;
    pid_t first, second;

    start_processes(f);
    first = child_named(comm);
    (void)follow_until_open(f, first);
    cycle(f);
    cycle(f);
    second = child_named(comm);
    event = follow_until_open(f, second);
    event->value += 1000;
    event->time_enabled += 1000000;
    event->time_running += 1000000;
    (void)usleep(100000);
    cycle(f);
    assert_int_equal(total(f, "born"), 1000);
    /* of the whole interval, that began before it */
    rate = find(f, "born", COLUMN_RATE)->real;
    assert_true(rate > 0 && rate < 1000 / 0.1);
    child_end(first);
    child_end(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(birth__between_two_cycles_is_opened_at_once_and_publishes_nothing),
        TEST(birth__and_death_between_two_cycles_leave_the_totals),
        TEST(birth__followed_and_gone_before_the_cycle_leaves_the_totals),
        TEST(birth__for_which_there_is_no_time_is_entered_and_opened_later),
        TEST(end__is_followed_where_there_is_no_time_to_open),
        TEST(end__before_anything_was_counted_is_told),
        TEST(birth__of_a_whole_tree_is_found_at_once),
        TEST(birth__between_two_cycles_takes_nothing_from_who_stands),
        TEST(birth__leaves_those_that_could_not_be_opened_to_the_cycle),
#define PROC_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_proc, tear_down_proc)
        PROC_TEST(process__born_between_two_cycles_is_counted_to_its_end),
        PROC_TEST(process__that_joins_a_group_between_two_cycles_leaves_it_its_rate),
    };

    return cmocka_run_group_tests_name("collector_follow", tests, NULL, NULL);
}
