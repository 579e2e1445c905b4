/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/collector_fixture.h"

static bool forbidden;

static int refuse_switches(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                           int group_fd)
{
    (void)perf;
    (void)cpu;
    (void)group_fd;
    return forbidden && attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ? -EACCES : 0;
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

static void successor__counts_a_changed_group_from_the_moment_it_takes_over(void **state)
{
    struct fixture *f = *state;

    start(f, lingering);
    make(f, "a");
    cycle(f);
    count(f, 6);
    cycle(f);
    start_successor(f, "groups: [{name: software, events: [page-faults, context-switches]}]\n"
                       "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n");
    count(f, 1000); /* before its first cycle */
    cycle(f);
    assert_int_equal(total(f, "/a"), 1006);
}

static void successor__finds_its_group_under_whatever_rule_it_was(void **state)
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
    start_successor(f, "groups: [{name: software, events: [page-faults, context-switches]},\n"
                       "         {name: other, events: [page-faults]}]\n"
                       "targets: {cgroups: [{include: [\"/b\"], groups: [other]},\n"
                       "                    {include: [\"/*\"], groups: [software]}]}\n");
    count(f, 100);
    cycle(f);
    assert_int_equal(total(f, "/a"), 105);
}

static void successor__believes_the_kernel_about_what_is_open_nowhere(void **state)
{
    struct fixture *f = *state;

    forbidden = false;
    f->perf.refuse_open = refuse_switches;
    start(f, two_events); /* no cgroup: nothing is open */
    cycle(f);
    forbidden = true;
    start_successor(f, two_events);
    make(f, "a");
    cycle(f);
    count(f, 3);
    cycle(f);
    assert_int_equal(total(f, "/a"), 3); /* of page-faults, which can be counted */
}

static bool exhausted;

static int refuse_for_want_of_descriptors(struct fake_perf *perf,
                                          const struct perf_event_attr *attr, int cpu, int group_fd)
{
    (void)perf;
    (void)cpu;
    (void)group_fd;
    if (exhausted)
        return -EMFILE;
    return attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ? -EACCES : 0;
}

static void successor__keeps_what_is_open_where_the_kernel_cannot_tell(void **state)
{
    struct fixture *f = *state;

    exhausted = false;
    f->perf.refuse_open = refuse_for_want_of_descriptors;
    start(f, two_events);
    make(f, "a");
    cycle(f);
    count(f, 5);
    cycle(f);
    exhausted = true;
    start_successor(f, two_events);
    count(f, 2);
    exhausted = false;
    cycle(f);
    cycle(f);
    assert_int_equal(total(f, "/a"), 7);
}

static void target__that_was_first_counted_in_its_last_interval_lingers(void **state)
{
    struct fixture *f = *state;

    start(f, lingering);
    make(f, "a");
    assert_int_equal(collector_cycle(f->collector, 0), 0);
    for (int i = 0; i < f->perf.next; i++)
        f->perf.events[i].time_enabled += f->perf.events[i].open; /* it waits for the PMU */
    cycle(f);
    count(f, 7);
    destroy(f, "a");
    cycle(f);
    assert_int_equal(total(f, "/a"), 7);
}

static void growth__leaves_alone_what_was_said_of_the_last_reload(void **state)
{
    struct fixture *f = *state;

    start(f, lingering);
    collector_note_reload(f->collector, false);
    start_successor(f, lingering);
    cycle(f);
    assert_int_equal(f->snapshot->status.config_reload_good, 0);
}

static struct fixture *counted;
static int until_slice; /* readings */

static ssize_t run_at_a_reading(struct fake_perf *perf, int fd)
{
    (void)perf;
    (void)fd;
    if (until_slice-- == 0)
        count(counted, 10);
    return 1;
}

/* Which programs count before and after the reload; NULL: direct counts. */
struct change {
    struct mechanism *from, *to;
};

static struct collector *start_with_program(struct fixture *f, struct config *config,
                                            struct mechanism *program)
{
    struct collector_setup setup = make_setup(f, config);
    struct collector *collector;

    setup.bpf = program;
    assert_int_equal(collector_new(&setup, f->collector, &collector), 0);
    return collector;
}

/* Returns false if there were fewer readings than that, so that the slice has not run. */
static bool change_with_a_slice_at(struct fixture *f, const struct change *change, int reading)
{
    struct config *config = parse(lingering);
    struct collector *successor;

    counted = f;
    f->config = parse(lingering);
    f->collector = start_with_program(f, f->config, change->from);
    make(f, "a");
    cycle(f);
    count(f, 5);
    cycle(f);
    until_slice = reading;
    f->perf.refuse_read = run_at_a_reading;
    successor = start_with_program(f, config, change->to);
    f->perf.refuse_read = NULL;
    (void)collector_free(f->collector);
    f->collector = successor;
    count(f, 2);
    cycle(f);
    assert_int_equal(total(f, "/a"), 5 + 2 + (until_slice < 0 ? 10 : 0));
    f->collector = collector_free(f->collector);
    (void)config_free(config);
    return until_slice < 0;
}

/* A slice of time is charged to old and new counters at once; they are read one after the other. */
static void check_a_slice_at_each_reading(bool was_program, bool is_program)
{
    bool has_run = true;
    int reading;

    for (reading = 0; has_run; reading++) {
        struct change change = {0};
        void *fixture;

        assert_int_equal(set_up(&fixture), 0);
        change.from = was_program ? program_new(fixture) : NULL;
        change.to = is_program ? program_new(fixture) : NULL;
        has_run = change_with_a_slice_at(fixture, &change, reading);
        if (change.from)
            (void)mechanism_free(change.from);
        if (change.to)
            (void)mechanism_free(change.to);
        assert_int_equal(tear_down(&fixture), 0);
    }
    assert_true(reading > 5);
}

static void successor__with_another_program_loses_no_slice_whenever_it_runs(void **state)
{
    (void)state;
    check_a_slice_at_each_reading(true, true);
}

static void successor__with_another_mechanism_loses_no_slice_whenever_it_runs(void **state)
{
    (void)state;
    check_a_slice_at_each_reading(false, true);
    check_a_slice_at_each_reading(true, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(successor__counts_a_changed_group_from_the_moment_it_takes_over),
        TEST(successor__finds_its_group_under_whatever_rule_it_was),
        TEST(successor__believes_the_kernel_about_what_is_open_nowhere),
        TEST(successor__keeps_what_is_open_where_the_kernel_cannot_tell),
        TEST(target__that_was_first_counted_in_its_last_interval_lingers),
        TEST(growth__leaves_alone_what_was_said_of_the_last_reload),
        TEST(successor__goes_on_with_totals_and_open_counters),
        TEST(successor__opens_what_is_new_and_closes_what_is_not_wanted),
        TEST(successor__keeps_what_lingers),
        TEST(successor__takes_an_event_of_another_meaning_for_another_series),
        TEST(successor__counts_what_has_become_possible_and_loses_nothing),
        TEST(successor__keeps_counting_what_the_kernel_now_forbids_to_newcomers),
        cmocka_unit_test(successor__with_another_program_loses_no_slice_whenever_it_runs),
        cmocka_unit_test(successor__with_another_mechanism_loses_no_slice_whenever_it_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
