/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/collector_fixture.h"

#include <poll.h>

static int refuse_everything(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                             int group_fd)
{
    (void)perf;
    (void)attr;
    (void)cpu;
    (void)group_fd;
    return -ENOMEM;
}

static void target__counts_from_the_cycle_that_finds_it(void **state)
{
    struct fixture *f = *state;

    start(f, lingering);
    cycle(f);
    assert_null(find(f, "/a", COLUMN_TOTAL));
    make(f, "a");
    cycle(f);
    assert_int_equal(total(f, "/a"), 0);
    count(f, 7);
    cycle(f);
    assert_int_equal(total(f, "/a"), 7);
    assert_int_equal(f->snapshot->status.targets[SCOPE_CGROUP], 1);
}

static void target__that_has_ended_is_read_once_more_and_lingers_without_rates(void **state)
{
    struct fixture *f = *state;

    start(f, lingering);
    make(f, "a");
    cycle(f);
    count(f, 5);
    destroy(f, "a"); /* between two cycles: 5 faults that no cycle has read */
    cycle(f);
    assert_int_equal(total(f, "/a"), 5);
    assert_true(isnan(find(f, "/a", COLUMN_RATE)->real));
    assert_int_equal(f->perf.n_open, 0); /* its descriptors are closed in the same cycle */
    assert_int_equal(f->snapshot->status.targets[SCOPE_CGROUP], 0);
    cycle(f);
    assert_int_equal(total(f, "/a"), 5);
}

static void target__ends_when_it_has_lingered(void **state)
{
    struct fixture *f = *state;

    start(f, "linger: 0s\n"
             "groups: [{name: software, events: [page-faults]}]\n"
             "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n");
    make(f, "a");
    cycle(f);
    destroy(f, "a");
    cycle(f);
    cycle(f);
    assert_null(find(f, "/a", COLUMN_TOTAL));
}

static void target__that_is_born_again_replaces_what_lingers_and_starts_at_zero(void **state)
{
    struct fixture *f = *state;
    uint64_t first_start;

    start(f, lingering);
    make(f, "a");
    cycle(f);
    count(f, 5);
    cycle(f);
    first_start = find(f, "/a", COLUMN_START_TIME)->count;
    destroy(f, "a");
    make(f, "a"); /* within one cycle */
    cycle(f);
    assert_int_equal(total(f, "/a"), 0);
    assert_true(find(f, "/a", COLUMN_START_TIME)->count > first_start);
    assert_int_equal(f->snapshot->roster->parts[0].n, 1);
}

static void series__are_limited_and_what_lingers_makes_room(void **state)
{
    struct fixture *f = *state;

    /* A row is 9 series: info, start, created, doubt, total, enabled, running, coverage, rate. */
    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n"
             "limits: {series: 19}\n");
    make(f, "a");
    make(f, "b");
    cycle(f);
    make(f, "c");
    cycle(f);
    assert_int_equal(f->snapshot->roster->parts[0].n, 2);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_LIMIT], 1);
    assert_int_equal(f->snapshot->status.dropped[SCOPE_CGROUP][ABSENCE_OVER_LIMIT], 1);

    destroy(f, "a");
    cycle(f);
    cycle(f);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_LIMIT], 0);
    assert_null(find(f, "/a", COLUMN_TOTAL));
    assert_non_null(find(f, "/c", COLUMN_TOTAL));
}

static void target__that_cannot_be_opened_is_told_and_tried_again(void **state)
{
    struct fixture *f = *state;

    start(f, lingering);
    cycle(f);
    f->perf.refuse_open = refuse_everything;
    make(f, "a");
    cycle(f);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_NO_DESCRIPTORS], 1);
    assert_int_equal(f->snapshot->status.targets[SCOPE_CGROUP], 0);
    assert_int_equal(total(f, "/a"), NUMBER_ABSENT_COUNT); /* not 0 */
    f->perf.refuse_open = NULL;
    cycle(f);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_NO_DESCRIPTORS], 0);
    assert_int_equal(f->snapshot->status.dropped[SCOPE_CGROUP][ABSENCE_NO_DESCRIPTORS], 1);
    assert_int_equal(total(f, "/a"), 0);
}

static void machine__by_cpu_shows_totals_of_cpus_and_rates_of_the_whole(void **state)
{
    struct fixture *f = *state;

    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "targets: {system: {groups: [software], by: cpu}}\n");
    cycle(f);
    count(f, 3);
    cycle(f);
    assert_int_equal(total(f, "0"), 3);
    assert_null(find(f, "0", COLUMN_RATE));
    assert_null(find(f, "", COLUMN_TOTAL));
    assert_true(find(f, "", COLUMN_RATE)->real > 0);
}

static void machine__by_all_is_one_target(void **state)
{
    struct fixture *f = *state;

    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "targets: {system: {groups: [software], by: all}}\n");
    cycle(f);
    count(f, 3);
    cycle(f);
    assert_int_equal(total(f, ""), 3);
    assert_true(find(f, "", COLUMN_RATE)->real > 0);
    assert_null(find(f, "0", COLUMN_TOTAL));
}

static void series__of_one_top_level_cgroup_leave_room_for_others(void **state)
{
    struct fixture *f = *state;

    /* Four rows fit; three of four are the share of one. */
    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "targets: {cgroups: [{include: [\"/a/*\", \"/b\"], groups: [software]}]}\n"
             "limits: {series: 36}\n");
    make(f, "a");
    for (int i = 0; i < 4; i++) {
        char name[8];

        (void)snprintf(name, sizeof(name), "a/%d", i);
        make(f, name);
    }
    cycle(f);
    assert_int_equal(f->snapshot->roster->parts[0].n, 3);
    make(f, "b");
    cycle(f);
    assert_non_null(find(f, "/b", COLUMN_TOTAL));
    for (int i = 0; i < 4; i++) {
        char name[8];

        (void)snprintf(name, sizeof(name), "a/%d", i);
        destroy(f, name);
    }
}

static void machine__that_does_not_fit_is_told(void **state)
{
    struct fixture *f = *state;

    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "targets: {system: {groups: [software], by: cpu}}\n"
             "limits: {series: 1}\n");
    cycle(f);
    cycle(f);
    assert_true(f->snapshot->status.uncounted[SCOPE_SYSTEM][ABSENCE_OVER_LIMIT] > 0);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_OVER_LIMIT], 0);
}

static void discovery__looks_when_told_once_somebody_waits_for_that(void **state)
{
    struct fixture *f = *state;
    struct pollfd tree = {.events = POLLIN};

    start(f, lingering);
    assert_int_equal(collector_tree_fd(f->collector), -1); /* nothing is watched yet */
    make(f, "a");
    cycle(f);
    assert_non_null(find(f, "/a", COLUMN_TOTAL));
    tree.fd = collector_tree_fd(f->collector);
    assert_true(tree.fd >= 0);
    cycle(f); /* the last that looks by itself */
    assert_int_equal(poll(&tree, 1, 0), 0);
    make(f, "b");
    assert_int_equal(poll(&tree, 1, 0), 1);
    cycle(f);
    assert_null(find(f, "/b", COLUMN_TOTAL));
    collector_tree_changed(f->collector);
    cycle(f);
    assert_non_null(find(f, "/b", COLUMN_TOTAL));
    assert_int_equal(poll(&tree, 1, 0), 0);
}

static void opening__leaves_to_runs_what_they_hold(void **state)
{
    struct fixture *f = *state;

    start(f, lingering);
    cycle(f);
    collector_leave_to_runs(f->collector, f->descriptors - 1);
    make(f, "a");
    cycle(f);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_NO_DESCRIPTORS], 1);
    assert_int_equal(f->snapshot->status.target_descriptors, 1);
    collector_leave_to_runs(f->collector, 0);
    cycle(f);
    assert_int_equal(total(f, "/a"), 0);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_NO_DESCRIPTORS], 0);
}

/* The first letters of the top-level cgroups, in the order in which cgroups below were opened. */
static void read_order(const struct fixture *f, char *order)
{
    for (int i = 0; i < f->perf.next; i++) {
        const struct fake_event *event = &f->perf.events[i];
        char link[64], path[256];
        ssize_t n;

        if (!event->open || event->cpu != 0)
            continue;
        (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", (int)event->pid);
        n = readlink(link, path, sizeof(path) - 1);
        assert_true(n > 0);
        path[n] = '\0';
        *strrchr(path, '/') = '\0'; /* the cgroup itself */
        *order++ = strrchr(path, '/')[1];
    }
    *order = '\0';
}

/* Of the sets of a batch each CPU is opened after the other, but the order is that of the sets. */
static void opening__goes_from_one_top_level_cgroup_to_the_next(void **state)
{
    struct fixture *f = *state;
    char order[FAKE_EVENTS + 1], path[16];

    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "targets: {cgroups: [{include: [\"/*/*\"], groups: [software]}]}\n");
    cycle(f);
    make(f, "a");
    make(f, "b");
    for (int i = 0; i < 12; i++) {
        (void)snprintf(path, sizeof(path), "%c/%d", i < 10 ? 'a' : 'b', i);
        make(f, path);
    }
    cycle(f);
    read_order(f, order);
    assert_int_equal(strlen(order), 12);
    assert_true(memchr(order, 'b', 2));
    assert_true(memchr(order + 2, 'b', 2));
}

static void cycle__tells_how_many_were_missed(void **state)
{
    struct fixture *f = *state;

    start(f, lingering);
    assert_int_equal(collector_cycle(f->collector, 3), 0);
    cycle(f);
    assert_int_equal(f->snapshot->status.cycles, 2);
    assert_int_equal(f->snapshot->status.cycles_late, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(target__counts_from_the_cycle_that_finds_it),
        TEST(target__that_has_ended_is_read_once_more_and_lingers_without_rates),
        TEST(target__ends_when_it_has_lingered),
        TEST(target__that_is_born_again_replaces_what_lingers_and_starts_at_zero),
        TEST(series__are_limited_and_what_lingers_makes_room),
        TEST(target__that_cannot_be_opened_is_told_and_tried_again),
        TEST(machine__by_cpu_shows_totals_of_cpus_and_rates_of_the_whole),
        TEST(machine__by_all_is_one_target),
        TEST(series__of_one_top_level_cgroup_leave_room_for_others),
        TEST(machine__that_does_not_fit_is_told),
        TEST(discovery__looks_when_told_once_somebody_waits_for_that),
        TEST(opening__leaves_to_runs_what_they_hold),
        TEST(opening__goes_from_one_top_level_cgroup_to_the_next),
        TEST(cycle__tells_how_many_were_missed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
