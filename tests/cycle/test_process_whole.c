/* SPDX-License-Identifier: Apache-2.0 */

/* A process by a mechanism that counts it whole: here one that opens a group on each CPU for it. */
#include "target/process_files.h"

#include "count/counter_cells.h"
#include "cycle/process_member.h"
#include "cycle/process_times.h"
#include "cycle/task_counters.h"
#include "support/check.h"
#include "support/fake_perf.h"

#define N_CPUS 2

static struct fake_perf perf;
static struct event event;
static struct event_groups *groups;
static struct mechanism *mechanism;
static int (*open_on_cpus)(struct mechanism *, struct counter_set **, size_t);
static struct cpu_list *cpus;
static struct sample *part, *sum;
static struct process_group *group;
static const struct fixture *newcomers; /* not NULL: a child appears whenever somebody opens */
static pid_t last_child;
static size_t n_opened;

/* Adds a child to the process, in the file of its children. */
static void start_child(const struct fixture *fixture)
{
    char text[256] = "";
    size_t n = 0;

    PROCESS(.pid = ++last_child, .comm = "child", .parent = 100, .start = 6);
    for (pid_t pid = 101; pid <= last_child; pid++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%d ", pid);
    fixture_tree_write(&fixture->tree, "100/task/100/children", text);
}

static int open_and_note(struct mechanism *self, struct counter_set **sets, size_t n)
{
    n_opened++;
    if (newcomers && last_child < 103)
        start_child(newcomers);
    return open_on_cpus(self, sets, n);
}

static void make_mechanism(void)
{
    mechanism = mechanism_direct_new(&perf.ops);
    mechanism->descriptors = 100;
    mechanism->counts_processes = true;
    open_on_cpus = mechanism->open;
    mechanism->open = open_and_note;
}

static int set_up(void **state)
{
    const struct event *const list[] = {&event};
    const struct group_spec spec = {.name = "core", .events = list, .n_events = 1};
    struct fixture *fixture;

    assert_int_equal(setup_limited(state, &roomy), 0);
    fixture = *state;
    PROCESS(.pid = 100, .comm = "parent", .parent = 1, .start = 5, .threads = 3);
    fixture_tree_make_directories(&fixture->tree, "100/task/1000/");
    fixture_tree_make_directories(&fixture->tree, "100/task/1001/");
    fixture_update(fixture);
    fake_perf_init(&perf);
    event = (struct event){.name = (char *)"one", .metric = (char *)"one"};
    assert_int_equal(event_groups_new(SCOPE_PROCESS, &spec, 1, &groups), 0);
    make_mechanism();
    assert_int_equal(cpu_list_parse("0-1", &cpus), 0);
    part = sample_new(groups);
    sum = sample_new(groups);
    group = process_group_new("family", 0, false);
    assert_int_equal(process_group_add(group, born(fixture, 100)), 0);
    newcomers = NULL;
    last_child = 100;
    n_opened = 0;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    group = process_group_free(group, fixture->set);
    assert_int_equal(perf.n_open, 0);
    mechanism = mechanism_free(mechanism);
    part = sample_free(part);
    sum = sample_free(sum);
    groups = event_groups_free(groups);
    cpus = cpu_list_free(cpus);
    return teardown(state);
}

static struct process_opening opening_of(const struct fixture *fixture)
{
    return (struct process_opening){.mechanism = mechanism,
                                    .groups = groups,
                                    .targets = fixture->set,
                                    .cpus = cpus,
                                    .threads_left = 10,
                                    .now_ns = 1000 * NS_PER_SECOND};
}

static void open_member(const struct fixture *fixture)
{
    struct process_opening opening = opening_of(fixture);

    assert_true(process_member_wants_open(group->members, &opening));
    assert_int_equal(process_member_open(group->members, &opening), 0);
}

static const struct scope *scope(void)
{
    return counter_set_scope(task_counters_current(group->members)->set);
}

static void whole__needs_no_room_for_threads_and_looks_once(void **state)
{
    const struct fixture *fixture = *state;
    struct process_opening opening = opening_of(fixture);

    open_member(fixture);
    assert_int_equal(perf.n_open, N_CPUS);
    assert_int_equal(n_opened, 1);
    assert_true(process_member_is_counted(group->members));
    assert_int_equal(process_member_threads(group->members), 0);
    assert_int_equal(scope()->n_tasks, 1);
    assert_int_equal(scope()->tasks[0], 100);
    assert_int_equal(scope()->inherit, INHERIT_CHILDREN);
    /* threads come and go without us */
    assert_false(process_member_wants_open(group->members, &opening));
}

static void whole__who_was_started_meanwhile_is_named_too(void **state)
{
    newcomers = *state;
    open_member(*state);
    assert_int_equal(n_opened, 4); /* the last of them finds nobody new */
    assert_int_equal(scope()->n_tasks, 4);
    assert_int_equal(scope()->tasks[3], 103);
    assert_int_equal(perf.n_open, N_CPUS);
}

static void whole__one_that_has_ended_is_named_no_more(void **state)
{
    const struct fixture *fixture = *state;

    start_child(fixture);
    start_child(fixture);
    open_member(fixture);
    assert_int_equal(scope()->n_tasks, 3);
    end(fixture, 101);
    fixture_tree_write(&fixture->tree, "100/task/100/children", "102 ");
    counter_group_close(task_counters_current(group->members)->set, 0);
    open_member(fixture);
    assert_int_equal(scope()->n_tasks, 2);
    assert_int_equal(scope()->tasks[1], 102);
}

static void whole__a_successor_goes_on_with_what_is_open(void **state)
{
    struct fixture *fixture = *state;
    const struct process_opening opening = opening_of(fixture);
    struct process_member *before = group->members;
    struct process_group *next = process_group_new("family", 0, false);

    open_member(fixture);
    process_group_read(group, fixture->set, opening.now_ns, part, sum);
    next->members = calloc(1, sizeof(*next->members));
    next->members->target = before->target;
    assert_int_equal(process_member_prepare(next->members, before, &opening), 0);
    process_member_adopt(next->members, before, NULL);
    assert_int_equal(perf.n_open, N_CPUS);
    assert_true(process_member_is_counted(next->members));
    assert_true(next->members->counters[0].begun);
    assert_true(process_member_is_incomplete(before));
    (void)process_group_free(group, fixture->set);
    group = next;
    assert_int_equal(perf.n_open, N_CPUS);
}

/* Counters that another mechanism has open are not taken over. */
static void whole__another_mechanism_begins_afresh(void **state)
{
    struct fixture *fixture = *state;
    struct process_opening opening = opening_of(fixture);
    struct mechanism *other = mechanism_direct_new(&perf.ops);
    struct process_member next = {.target = group->members->target};

    open_member(fixture);
    opening.mechanism = other;
    assert_int_equal(process_member_prepare(&next, group->members, &opening), 0);
    assert_int_equal(next.n_counters, 0);
    (void)mechanism_free(other);
}

static const uint64_t not_known[N_CPUS] = {UINT64_MAX, UINT64_MAX};

static void assert_ran(const struct process_group *of, uint64_t on_0, uint64_t on_1)
{
    uint64_t ran_ns[N_CPUS];

    memcpy(ran_ns, not_known, sizeof(ran_ns));
    process_times_read(of, cpus, ran_ns);
    assert_int_equal(ran_ns[0], on_0);
    assert_int_equal(ran_ns[1], on_1);
}

static void read_group(struct fixture *fixture, unsigned seconds)
{
    process_group_read(group, fixture->set, (1000 + seconds) * NS_PER_SECOND, part, sum);
}

/* Opens the member and lets it run on CPU 1 for so long. */
static void run_on_1(struct fixture *fixture, uint64_t ns)
{
    open_member(fixture);
    read_group(fixture, 1);
    fake_run(&perf, 0, 1, ns, ns);
    read_group(fixture, 2);
}

static void whole__where_it_ran_is_known_and_outlives_it(void **state)
{
    struct fixture *fixture = *state;

    assert_ran(group, UINT64_MAX, UINT64_MAX); /* nothing is counted yet */
    run_on_1(fixture, 700);
    assert_ran(group, 0, 700);
    fake_run(&perf, 0, 0, 50, 50);
    process_member_end(group->members);
    read_group(fixture, 3);
    assert_null(group->members);
    assert_ran(group, 50, 700);
}

/* Gives the group a successor of the same name, to which the old one's counters go. */
static struct process_group *succeed(const struct fixture *fixture)
{
    const struct process_opening opening = opening_of(fixture);
    struct process_group *before = group;

    group = process_group_new("family", 0, false);
    group->members = calloc(1, sizeof(*group->members));
    group->members->target = before->members->target;
    assert_int_equal(process_group_prepare(group, before, &opening), 0);
    process_group_adopt(group, before, NULL);
    return before;
}

static void whole__where_it_ran_goes_on_in_a_successor(void **state)
{
    struct fixture *fixture = *state;
    struct process_group *before;

    run_on_1(fixture, 700);
    process_times_keep(group, group->members); /* as if another had run as long, and had ended */
    before = succeed(fixture);
    process_times_adopt(group, before, cpus);
    assert_ran(group, 0, 1400);
    before->members->target = NULL;
    (void)process_group_free(before, fixture->set);
    fake_run(&perf, 0, 1, 5, 5);
    read_group(fixture, 3);
    assert_ran(group, 0, 1405);
}

static void whole__where_a_member_ran_that_only_the_predecessor_had_is_kept(void **state)
{
    struct fixture *fixture = *state;
    struct process_group *before = group;

    run_on_1(fixture, 700);
    group = process_group_new("family", 0, false);
    process_times_adopt(group, before, cpus);
    assert_ran(group, 0, 700);
    (void)process_group_free(before, fixture->set);
}

static void whole__where_threads_ran_is_not_known(void **state)
{
    struct fixture *fixture = *state;

    mechanism->counts_processes = false;
    open_member(fixture);
    read_group(fixture, 1);
    for (int i = 0; i < perf.next; i++)
        perf.events[i].time_enabled = perf.events[i].time_running = 700;
    read_group(fixture, 2);
    assert_true(sum->groups[0].enabled > 0);
    assert_ran(group, UINT64_MAX, UINT64_MAX);
    process_member_end(group->members);
    read_group(fixture, 3);
    assert_ran(group, UINT64_MAX, UINT64_MAX);
}

#define WHOLE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WHOLE_TEST(whole__needs_no_room_for_threads_and_looks_once),
        WHOLE_TEST(whole__who_was_started_meanwhile_is_named_too),
        WHOLE_TEST(whole__one_that_has_ended_is_named_no_more),
        WHOLE_TEST(whole__a_successor_goes_on_with_what_is_open),
        WHOLE_TEST(whole__another_mechanism_begins_afresh),
        WHOLE_TEST(whole__where_it_ran_is_known_and_outlives_it),
        WHOLE_TEST(whole__where_it_ran_goes_on_in_a_successor),
        WHOLE_TEST(whole__where_a_member_ran_that_only_the_predecessor_had_is_kept),
        WHOLE_TEST(whole__where_threads_ran_is_not_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
