/* SPDX-License-Identifier: Apache-2.0 */
#include "app/collector_fixture.h"

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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
