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
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)snapshot_unref(f->snapshot);
    (void)collector_free(f->collector);
    assert_int_equal(f->perf.n_open, 0);
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

static void start(struct fixture *f, const char *yaml)
{
    struct collector_setup setup = {.resolver = f->resolver,
                                    .perf = &f->perf.ops,
                                    .sysfs_fd = f->sysfs_fd,
                                    .cgroup_root_fd = f->root_fd,
                                    .descriptors = 200,
                                    .slot = f->slot};
    struct config_error error;

    if (config_parse(yaml, strlen(yaml), &f->config, &error) < 0)
        fail_msg("%s", error.message);
    setup.config = f->config;
    assert_int_equal(collector_new(&setup, &f->collector), 0);
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
    assert_int_equal(f->snapshot->status.targets_cgroup, 1);
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
    assert_int_equal(f->snapshot->status.targets_cgroup, 0);
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

    /* A row is 6 series: start, total, enabled, running, coverage, rate. */
    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n"
             "limits: {series: 13}\n");
    make(f, "a");
    make(f, "b");
    cycle(f);
    make(f, "c");
    cycle(f);
    assert_int_equal(f->snapshot->roster->parts[0].n, 2);
    assert_int_equal(f->snapshot->status.uncounted[ABSENCE_OVER_LIMIT], 1);
    assert_int_equal(f->snapshot->status.dropped[ABSENCE_OVER_LIMIT], 1);

    destroy(f, "a");
    cycle(f);
    cycle(f);
    assert_int_equal(f->snapshot->status.uncounted[ABSENCE_OVER_LIMIT], 0);
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
    assert_int_equal(f->snapshot->status.uncounted[ABSENCE_NO_DESCRIPTORS], 1);
    assert_int_equal(f->snapshot->status.targets_cgroup, 0);
    assert_int_equal(total(f, "/a"), NUMBER_ABSENT_COUNT); /* not 0 */
    f->perf.refuse_open = NULL;
    cycle(f);
    assert_int_equal(f->snapshot->status.uncounted[ABSENCE_NO_DESCRIPTORS], 0);
    assert_int_equal(f->snapshot->status.dropped[ABSENCE_NO_DESCRIPTORS], 1);
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
        TEST(cycle__tells_how_many_were_missed),
        cmocka_unit_test(schedule__stays_on_its_grid),
        cmocka_unit_test(schedule__leaves_out_what_is_late_and_makes_no_burst),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
