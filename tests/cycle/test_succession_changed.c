/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A target whose groups have changed goes on with new counters. Whenever it runs while these follow
 * the old ones, what it does is counted once.
 */
#include "cycle/collector_processes_fixture.h"

static const char changed_cgroups[] =
    "groups: [{name: software, events: [page-faults, context-switches]}]\n"
    "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n";

static const char changed_processes[] =
    "groups: [{name: software, events: [page-faults, context-switches]}]\n"
    "targets: {processes: [{name: web, comm: [web], groups: [software]}]}\n";

static struct fixture *counted;
static int until_slice; /* readings */

/* The process runs, or what is in the cgroup does, on the first CPU: old and new counters count. */
static void run(struct fixture *f, uint64_t faults)
{
    for (int i = 0; i < f->perf.next; i++) {
        struct fake_event *event = &f->perf.events[i];

        if (!event->open || event->cpu > 0 || event->attr.config != PAGE_FAULTS)
            continue;
        event->value += faults;
        event->time_enabled += 1000000;
        event->time_running += 1000000;
    }
}

static ssize_t run_at_a_reading(struct fake_perf *perf, int fd)
{
    (void)perf;
    (void)fd;
    if (until_slice-- == 0)
        run(counted, 10);
    return 1;
}

/* Returns false if there were fewer readings than that, so that the slice has not run. */
static bool change_with_a_slice_at(struct fixture *f, const char *before, const char *after,
                                   const char *name, int reading)
{
    counted = f;
    start(f, before);
    cycle(f);
    run(f, 5);
    cycle(f);
    until_slice = reading;
    f->perf.refuse_read = run_at_a_reading;
    start_successor(f, after);
    f->perf.refuse_read = NULL;
    run(f, 2);
    cycle(f);
    assert_int_equal(total(f, name), 5 + 2 + (until_slice < 0 ? 10 : 0));
    return until_slice < 0;
}

/* A target of the test: how it is made, and the configurations before and after. */
struct changing {
    int (*set_up)(void **state);
    int (*tear_down)(void **state);
    void (*make)(struct fixture *f);
    const char *before, *after, *name;
};

/* The slice runs at each reading in turn, until there are no more. */
static void loses_no_slice(const struct changing *changing)
{
    bool has_run = true;
    int reading;

    for (reading = 0; has_run; reading++) {
        void *fixture;

        assert_int_equal(changing->set_up(&fixture), 0);
        changing->make(fixture);
        has_run = change_with_a_slice_at(fixture, changing->before, changing->after, changing->name,
                                         reading);
        assert_int_equal(changing->tear_down(&fixture), 0);
    }
    assert_true(reading > 3);
}

static void make_process(struct fixture *f)
{
    (void)f;
    add_process(100, "web", 5);
}

static void make_cgroup(struct fixture *f)
{
    make(f, "a");
}

static void process__whose_groups_have_changed_loses_no_slice_whenever_it_runs(void **state)
{
    (void)state;
    loses_no_slice(&(struct changing){set_up_procfs, tear_down_procfs, make_process, web,
                                      changed_processes, "web"});
}

static void cgroup__whose_groups_have_changed_loses_no_slice_whenever_it_runs(void **state)
{
    (void)state;
    loses_no_slice(
        &(struct changing){set_up, tear_down, make_cgroup, lingering, changed_cgroups, "/a"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(process__whose_groups_have_changed_loses_no_slice_whenever_it_runs),
        cmocka_unit_test(cgroup__whose_groups_have_changed_loses_no_slice_whenever_it_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
