/* SPDX-License-Identifier: Apache-2.0 */

/* The cycle, over a tree of ordinary directories and a kernel of the test's own. */
#include "support/check.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/collector.h"
#include "app/schedule.h"
#include "support/fake_perf.h"

#define PAGE_FAULTS PERF_COUNT_SW_PAGE_FAULTS

struct fixture {
    char directory[64];
    int root_fd, sysfs_fd;
    struct fake_perf perf;
    struct config *config;
    struct event_resolver *resolver;
    struct snapshot_slot *slot;
    struct mechanism *mechanism;
    struct collector *collector;
    struct snapshot *snapshot;
};

static const char lingering[] = "linger: 60s\n"
                                "groups: [{name: software, events: [page-faults]}]\n"
                                "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n";

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    (void)snprintf(f->directory, sizeof(f->directory), "/dev/shm/test_collector_XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    f->root_fd = open(f->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->sysfs_fd = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fake_perf_init(&f->perf);
    assert_int_equal(event_resolver_new(f->sysfs_fd, &f->resolver), 0);
    f->slot = snapshot_slot_new();
    f->mechanism = mechanism_direct_new(&f->perf.ops);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)snapshot_unref(f->snapshot);
    (void)collector_free(f->collector);
    assert_int_equal(f->perf.n_open, 0);
    (void)mechanism_free(f->mechanism);
    (void)snapshot_slot_free(f->slot);
    (void)event_resolver_free(f->resolver);
    (void)config_free(f->config);
    (void)unlinkat(f->root_fd, "a", AT_REMOVEDIR);
    (void)unlinkat(f->root_fd, "b", AT_REMOVEDIR);
    (void)unlinkat(f->root_fd, "c", AT_REMOVEDIR);
    (void)close(f->root_fd);
    (void)close(f->sysfs_fd);
    (void)rmdir(f->directory);
    free(f);
    return 0;
}

static struct config *parse(const char *yaml)
{
    struct config *config = NULL;
    struct config_error error;

    if (config_parse(yaml, strlen(yaml), &config, &error) < 0)
        fail_msg("%s", error.message);
    return config;
}

static struct collector_setup make_setup(struct fixture *f, const struct config *config)
{
    return (struct collector_setup){.config = config,
                                    .resolver = f->resolver,
                                    .perf = &f->perf.ops,
                                    .mechanism = f->mechanism,
                                    .sysfs_fd = f->sysfs_fd,
                                    .cgroup_root_fd = f->root_fd,
                                    .descriptors = 200,
                                    .slot = f->slot};
}

static void start(struct fixture *f, const char *yaml)
{
    struct collector_setup setup;

    f->config = parse(yaml);
    setup = make_setup(f, f->config);
    assert_int_equal(collector_new(&setup, NULL, &f->collector), 0);
}

/* What a reload does. */
static void start_successor(struct fixture *f, const char *yaml)
{
    struct config *config = parse(yaml);
    struct collector_setup setup = make_setup(f, config);
    struct collector *successor;

    assert_int_equal(collector_new(&setup, f->collector, &successor), 0);
    (void)collector_free(f->collector);
    (void)config_free(f->config);
    f->collector = successor;
    f->config = config;
}

static void make(struct fixture *f, const char *name)
{
    assert_int_equal(mkdirat(f->root_fd, name, 0755), 0);
}

static void destroy(struct fixture *f, const char *name)
{
    assert_int_equal(unlinkat(f->root_fd, name, AT_REMOVEDIR), 0);
}

static void cycle(struct fixture *f)
{
    assert_int_equal(collector_cycle(f->collector, 0), 0);
    (void)snapshot_unref(f->snapshot);
    f->snapshot = snapshot_slot_get(f->slot);
}

/* Lets every open group on the first CPU run and count that many page faults. */
static void count(struct fixture *f, uint64_t faults)
{
    for (int i = 0; i < f->perf.next; i++)
        if (f->perf.events[i].open && f->perf.events[i].cpu == 0) {
            f->perf.events[i].value += faults;
            f->perf.events[i].time_enabled += 1000000;
            f->perf.events[i].time_running += 1000000;
        }
}

/* The place of a column in the row of the target with that label; NULL: it has no series. */
static const union number *find(const struct fixture *f, const char *path, enum column_kind kind)
{
    const struct roster *roster = f->snapshot->roster;

    for (size_t p = 0; p < roster->catalogue->n_plans; p++)
        for (size_t i = 0; i < roster->parts[p].n; i++) {
            const struct plan *plan = roster->catalogue->plans[p];
            size_t n_labels;
            const struct label *labels = identity_labels(roster->parts[p].identities[i], &n_labels);

            if (strcmp(n_labels ? labels[0].value : "", path) != 0)
                continue;
            for (size_t c = 0; c < plan->n_columns; c++)
                if (plan->columns[c].kind == kind)
                    return &f->snapshot->numbers[roster->parts[p].first + i * plan->n_columns + c];
        }
    return NULL;
}

static uint64_t total(const struct fixture *f, const char *path)
{
    const union number *number = find(f, path, COLUMN_TOTAL);

    assert_non_null(number);
    return number->count;
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

    /* A row is 7 series: info, start, total, enabled, running, coverage, rate. */
    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n"
             "limits: {series: 16}\n");
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

static int refuse_everything(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                             int group_fd)
{
    (void)perf;
    (void)attr;
    (void)cpu;
    (void)group_fd;
    return -ENOMEM;
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
             "limits: {series: 28}\n");
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

static void successor__goes_on_with_totals_and_open_counters(void **state)
{
    struct fixture *f = *state;
    uint64_t begin;
    int next;

    start(f, lingering);
    make(f, "a");
    cycle(f);
    count(f, 5);
    cycle(f);
    begin = find(f, "/a", COLUMN_START_TIME)->count;
    count(f, 6); /* between the last cycle of the one and the first of the other */
    next = f->perf.next;
    start_successor(f, "linger: 60s\n"
                       "groups: [{name: software, events: [page-faults]},\n"
                       "         {name: more, events: [context-switches]}]\n"
                       "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n");
    cycle(f);
    assert_int_equal(total(f, "/a"), 11);
    assert_int_equal(find(f, "/a", COLUMN_START_TIME)->count, begin);
    assert_int_equal(f->snapshot->status.cycles, 3);
    /* Nothing was opened but to find out what can be: page-faults, alone and in its group. */
    assert_int_equal(f->perf.next, next + 2);
}

static void successor__opens_what_is_new_and_closes_what_is_not_wanted(void **state)
{
    struct fixture *f = *state;
    int n_open;

    start(f, lingering);
    make(f, "a");
    make(f, "b");
    cycle(f);
    n_open = f->perf.n_open;
    count(f, 5);
    cycle(f);
    start_successor(f, "linger: 60s\n"
                       "groups: [{name: software, events: [page-faults]},\n"
                       "         {name: more, events: [context-switches]}]\n"
                       "targets: {cgroups: [{include: [\"/a\"], groups: [software, more]}]}\n");
    cycle(f);
    assert_int_equal(total(f, "/a"), 5);
    assert_null(find(f, "/b", COLUMN_TOTAL));
    assert_int_equal(f->perf.n_open, n_open); /* twice as many for one of two */
    count(f, 2);
    cycle(f);
    assert_int_equal(total(f, "/a"), 7);
}

static void successor__keeps_what_lingers(void **state)
{
    struct fixture *f = *state;

    start(f, lingering);
    make(f, "a");
    cycle(f);
    count(f, 5);
    destroy(f, "a"); /* unknown to the predecessor when the successor is made */
    start_successor(f, lingering);
    cycle(f);
    assert_int_equal(total(f, "/a"), 5);
    assert_true(isnan(find(f, "/a", COLUMN_RATE)->real));
}

static void successor__takes_an_event_of_another_meaning_for_another_series(void **state)
{
    struct fixture *f = *state;

    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "rename: [{event: page-faults, name: things}]\n"
             "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n");
    make(f, "a");
    cycle(f);
    count(f, 5);
    cycle(f);
    start_successor(f, "groups: [{name: software, events: [context-switches]}]\n"
                       "rename: [{event: context-switches, name: things}]\n"
                       "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n");
    cycle(f);
    assert_int_equal(total(f, "/a"), 0);
}

static bool forbidden;

static int refuse_switches(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                           int group_fd)
{
    (void)perf;
    (void)cpu;
    (void)group_fd;
    return forbidden && attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ? -EACCES : 0;
}

static const char two_events[] =
    "groups: [{name: software, events: [page-faults, context-switches]}]\n"
    "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n";

static void successor__counts_what_has_become_possible_and_loses_nothing(void **state)
{
    struct fixture *f = *state;

    forbidden = true;
    f->perf.refuse_open = refuse_switches;
    start(f, two_events);
    make(f, "a");
    cycle(f);
    count(f, 5);
    cycle(f);
    assert_int_equal(f->snapshot->roster->catalogue->events[1].absence, ABSENCE_NOT_PERMITTED);
    count(f, 50); /* read by nobody before the group is opened afresh */
    forbidden = false;
    start_successor(f, two_events);
    cycle(f);
    assert_int_equal(total(f, "/a"), 55);
    assert_int_equal(f->snapshot->roster->catalogue->events[1].absence, ABSENCE_NONE);
}

static void successor__keeps_counting_what_the_kernel_now_forbids_to_newcomers(void **state)
{
    struct fixture *f = *state;

    forbidden = false;
    f->perf.refuse_open = refuse_switches;
    start(f, two_events);
    make(f, "a");
    cycle(f);
    count(f, 5);
    cycle(f);
    forbidden = true;
    start_successor(f, two_events);
    count(f, 4);
    cycle(f);
    assert_int_equal(total(f, "/a"), 9);
    make(f, "b");
    cycle(f);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_CGROUP][ABSENCE_NOT_PERMITTED], 1);
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

static void schedule__stays_on_its_grid(void **state)
{
    struct schedule schedule = {.due_ns = 1000, .interval_ns = 100};

    (void)state;
    assert_int_equal(schedule_advance(&schedule, 1030), 0);
    assert_int_equal(schedule.due_ns, 1100);
    assert_int_equal(schedule_advance(&schedule, 1199), 0);
    assert_int_equal(schedule.due_ns, 1200);
}

static void schedule__leaves_out_what_is_late_and_makes_no_burst(void **state)
{
    struct schedule schedule = {.due_ns = 1000, .interval_ns = 100};

    (void)state;
    assert_int_equal(schedule_advance(&schedule, 1450), 4);
    assert_int_equal(schedule.due_ns, 1500);
    assert_int_equal(schedule_advance(&schedule, 1500), 0);
    assert_int_equal(schedule_advance(&schedule, 1700), 1);
    assert_int_equal(schedule.due_ns, 1800);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

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
        TEST(successor__goes_on_with_totals_and_open_counters),
        TEST(successor__opens_what_is_new_and_closes_what_is_not_wanted),
        TEST(successor__keeps_what_lingers),
        TEST(successor__takes_an_event_of_another_meaning_for_another_series),
        TEST(successor__counts_what_has_become_possible_and_loses_nothing),
        TEST(successor__keeps_counting_what_the_kernel_now_forbids_to_newcomers),
        TEST(cycle__tells_how_many_were_missed),
        cmocka_unit_test(schedule__stays_on_its_grid),
        cmocka_unit_test(schedule__leaves_out_what_is_late_and_makes_no_burst),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
