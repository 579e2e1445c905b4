/* SPDX-License-Identifier: Apache-2.0 */

/* One process whose group of the PMU waits in vain, beside one of software that counts. */
#include "target/process_files.h"

#include "cycle/process_member.h"
#include "support/check.h"
#include "support/fake_perf.h"

#define PMU_EVENT      1
#define SOFTWARE_EVENT 2

/* A time longer than a group of the PMU waits for its turn before it is closed. */
#define LONG (7 * NS_PER_SECOND)

/* A time longer than a closed group waits before it is opened again. */
#define MINUTE (61 * NS_PER_SECOND)

static struct fake_perf perf;
static struct event events[2];
static struct event_groups *groups;
static struct mechanism *mechanism;
static struct sample *part, *sum;
static struct process_group *group;
static uint64_t now_ns;

/* The process in which a thread is started while others are being opened. */
static struct fixture_tree tree;

static int set_up(void **state)
{
    const struct event *const list[] = {&events[0], &events[1]};
    const struct group_spec specs[] = {{.name = "core", .events = &list[0], .n_events = 1},
                                       {.name = "software", .events = &list[1], .n_events = 1}};
    struct fixture *fixture;

    assert_int_equal(setup_limited(state, &roomy), 0);
    fixture = *state;
    PROCESS(.pid = 100, .comm = "web", .parent = 1, .start = 5);
    fixture_update(fixture);
    fake_perf_init(&perf);
    events[0] =
        (struct event){.name = (char *)"one", .metric = (char *)"one", .takes_counter = true};
    events[1] = (struct event){.name = (char *)"two", .metric = (char *)"two"};
    events[0].code.config = PMU_EVENT;
    events[1].code.config = SOFTWARE_EVENT;
    assert_int_equal(event_groups_new(SCOPE_PROCESS, specs, 2, &groups), 0);
    mechanism = mechanism_direct_new(&perf.ops);
    mechanism->descriptors = 100;
    part = sample_new(groups);
    sum = sample_new(groups);
    group = process_group_new("web", 1, false);
    assert_int_equal(process_group_add(group, born(fixture, 100)), 0);
    now_ns = 1000 * NS_PER_SECOND;
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
    return teardown(state);
}

static void open_when(const struct fixture *fixture, bool at_birth)
{
    struct process_opening opening = {.mechanism = mechanism,
                                      .groups = groups,
                                      .targets = fixture->set,
                                      .can_inherit_threads = true,
                                      .threads_left = 100,
                                      .at_birth = at_birth,
                                      .now_ns = now_ns};

    if (process_member_wants_open(group->members, &opening))
        assert_int_equal(process_member_open(group->members, &opening), 0);
}

static void open_threads(const struct fixture *fixture)
{
    open_when(fixture, false);
}

static void run(uint64_t config, uint64_t ns, uint64_t running)
{
    struct fake_event *event = fake_find_thread(&perf, config, 100);

    if (!event)
        return;
    event->time_enabled += ns;
    event->time_running += running;
}

/* Lets a second pass, in which groups of software events run and those of the PMU do not. */
static void pass_second(const struct fixture *fixture)
{
    now_ns += NS_PER_SECOND;
    run(PMU_EVENT, NS_PER_SECOND, 0);
    run(SOFTWARE_EVENT, NS_PER_SECOND, NS_PER_SECOND);
    process_group_read(group, fixture->set, now_ns, part, sum);
}

static void wait_in_vain(const struct fixture *fixture)
{
    open_threads(fixture);
    for (uint64_t ns = 0; ns <= LONG; ns += NS_PER_SECOND)
        pass_second(fixture);
    assert_null(fake_find_thread(&perf, PMU_EVENT, 100));
}

static ssize_t fail_software(struct fake_perf *fake, int fd)
{
    return fake->events[fd].attr.config == SOFTWARE_EVENT ? -EIO : 1;
}

/* Makes the counters fail, so that the threads are opened afresh. */
static void lose_software(const struct fixture *fixture)
{
    perf.refuse_read = fail_software;
    pass_second(fixture);
    pass_second(fixture); /* which has failed once is tried again */
    perf.refuse_read = NULL;
    assert_true(process_group_is_incomplete(group));
}

static void starved__it_is_told_and_the_others_go_on(void **state)
{
    const struct fixture *fixture = *state;

    open_threads(fixture);
    assert_int_equal(process_member_absence(group->members), ABSENCE_NONE);
    wait_in_vain(fixture);
    assert_int_equal(process_member_absence(group->members), ABSENCE_PMU_BUSY);
    assert_false(process_member_is_counted(group->members));
    pass_second(fixture);
    assert_true(sum->groups[0].starved);
    assert_false(sum->groups[1].unknown);
}

static void starved__stays_closed_when_the_others_are_opened_afresh(void **state)
{
    const struct fixture *fixture = *state;

    wait_in_vain(fixture);
    lose_software(fixture);
    open_threads(fixture);
    assert_non_null(fake_find_thread(&perf, SOFTWARE_EVENT, 100));
    assert_null(fake_find_thread(&perf, PMU_EVENT, 100));
    assert_int_equal(process_member_absence(group->members), ABSENCE_PMU_BUSY);
}

static int start_thread(struct fake_perf *fake, const struct perf_event_attr *attr, int cpu,
                        int group_fd)
{
    (void)fake;
    (void)attr;
    (void)cpu;
    (void)group_fd;
    fixture_tree_make_directories(&tree, "100/task/101/");
    return 0;
}

static void starved__threads_that_start_meanwhile_are_found_nevertheless(void **state)
{
    const struct fixture *fixture = *state;

    wait_in_vain(fixture);
    lose_software(fixture);
    tree = fixture->tree;
    perf.refuse_open = start_thread;
    open_threads(fixture);
    assert_non_null(fake_find_thread(&perf, SOFTWARE_EVENT, 101));
    assert_int_equal(perf.n_open, 2);
}

static void starved__it_is_tried_again_and_is_told_until_it_has_a_turn(void **state)
{
    const struct fixture *fixture = *state;

    wait_in_vain(fixture);
    now_ns += MINUTE;
    pass_second(fixture);
    open_threads(fixture);
    assert_non_null(fake_find_thread(&perf, PMU_EVENT, 100));
    pass_second(fixture);
    assert_int_equal(process_member_absence(group->members), ABSENCE_PMU_BUSY);
    run(PMU_EVENT, 1000, 1000);
    pass_second(fixture);
    assert_int_equal(process_member_absence(group->members), ABSENCE_NONE);
    assert_true(process_member_is_counted(group->members));
}

/* Groups of CPUs that run prove nothing: somebody else may hold all that they leave. */
static void starved__beside_groups_of_cpus_it_is_not_the_groups_fault(void **state)
{
    mechanism->cpus_ran_ns = UINT64_MAX;
    wait_in_vain(*state);
    assert_int_equal(process_member_absence(group->members), ABSENCE_PMU_BUSY);
}

static void starved__beside_groups_of_threads_it_is_the_groups_fault(void **state)
{
    mechanism->threads_ran_ns = UINT64_MAX;
    wait_in_vain(*state);
    assert_int_equal(process_member_absence(group->members), ABSENCE_NEVER_SCHEDULED);
}

/* A thread that is being made while we open inherits no counter and is in no list yet. */
static void at_birth__threads_that_are_there_later_are_opened_by_the_next_cycle(void **state)
{
    const struct fixture *fixture = *state;
    const struct fake_event *first;

    open_when(fixture, true);
    first = fake_find_thread(&perf, SOFTWARE_EVENT, 100);
    assert_non_null(first);
    process_group_begin(group, now_ns, now_ns, part);
    fixture_tree_make_directories(&fixture->tree, "100/task/101/");
    now_ns += NS_PER_SECOND;
    open_threads(fixture);
    assert_non_null(fake_find_thread(&perf, SOFTWARE_EVENT, 101));
    assert_false(first->enabled); /* the two would count the same */
    assert_true(first->open);     /* it is read once more */
    pass_second(fixture);
    assert_false(first->open);
    assert_int_equal(perf.n_open, 4);
}

static void at_birth__who_starts_nothing_keeps_the_counters(void **state)
{
    const struct fixture *fixture = *state;
    int opened;

    open_when(fixture, true);
    process_group_begin(group, now_ns, now_ns, part);
    opened = perf.next;
    now_ns += NS_PER_SECOND;
    open_threads(fixture);
    pass_second(fixture);
    open_threads(fixture);
    assert_int_equal(perf.next, opened);
    assert_true(process_member_is_counted(group->members));
}

#define MEMBER_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MEMBER_TEST(starved__it_is_told_and_the_others_go_on),
        MEMBER_TEST(starved__stays_closed_when_the_others_are_opened_afresh),
        MEMBER_TEST(starved__threads_that_start_meanwhile_are_found_nevertheless),
        MEMBER_TEST(starved__beside_groups_of_cpus_it_is_not_the_groups_fault),
        MEMBER_TEST(starved__beside_groups_of_threads_it_is_the_groups_fault),
        MEMBER_TEST(at_birth__threads_that_are_there_later_are_opened_by_the_next_cycle),
        MEMBER_TEST(at_birth__who_starts_nothing_keeps_the_counters),
        MEMBER_TEST(starved__it_is_tried_again_and_is_told_until_it_has_a_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
