/* SPDX-License-Identifier: Apache-2.0 */

/* Whose samples a collector tells apart, and what it makes of them. */
#include "cycle/collector_processes_fixture.h"

#include "base/clock.h"
#include "cycle/collector_parts.h"
#include "cycle/stages.h"
#include "profile/targets.h"
#include "support/fake_profile_program.h"
#include "sys/bpf/profile/period.h"

#define HUNDRED_PERIODS (100 * profile_period_ns(100))

#define CLOCKED                                                                                    \
    "linger: 60s\n"                                                                                \
    "profiles: {rate: 100}\n"                                                                      \
    "groups: [{name: software, events: [task-clock]}]\n"

static const char all[] =
    CLOCKED "targets: {cgroups: [{include: [\"/**\"], groups: [software]}]}\n";
static const char tops[] =
    CLOCKED "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n";
static const char family[] = CLOCKED
    "targets: {processes: [{name: web, comm: [web], children: true, groups: [software]}]}\n";

static struct profile_program program;

static int set_up_profiles(void **state)
{
    struct fixture *f;

    assert_int_equal(set_up_procfs(state), 0);
    f = *state;
    program = (struct profile_program){.room = FAKE_MOST};
    f->profiles = profile_targets_new();
    f->profile_status = profile_status_slot_new();
    assert_true(f->profiles && f->profile_status);
    profile_targets_attach(f->profiles, &program, 1000);
    return 0;
}

static int tear_down_profiles(void **state)
{
    struct fixture *f = *state;
    struct profile_targets *profiles = f->profiles;
    struct profile_status_slot *status = f->profile_status;

    assert_int_equal(tear_down_procfs(state), 0);
    (void)profile_targets_free(profiles);
    (void)profile_status_slot_free(status);
    return 0;
}

static uint64_t inode(const struct fixture *f, const char *path)
{
    struct stat status;

    assert_int_equal(fstatat(f->root_fd, path, &status, 0), 0);
    return status.st_ino;
}

static void sample_cgroup(struct fixture *f, const char *path, size_t n)
{
    const uint32_t number = fake_cgroup(&program, inode(f, path));

    assert_true(number > 0);
    for (size_t i = 0; i < n; i++)
        profile_targets_count(f->profiles, number, 0);
}

static void sample_process(struct fixture *f, pid_t pid, size_t n)
{
    assert_true(fake_process(&program, pid) > 0);
    for (size_t i = 0; i < n; i++)
        profile_targets_count(f->profiles, 0, fake_process(&program, pid));
}

static uint64_t samples(const struct fixture *f, const char *name)
{
    const union number *number = find(f, name, COLUMN_PROFILE_SAMPLES);

    assert_non_null(number);
    return number->count;
}

static double ratio(const struct fixture *f, const char *name)
{
    const union number *number = find(f, name, COLUMN_PROFILE_RATIO);

    assert_non_null(number);
    return number->real;
}

static void cgroup__has_the_samples_of_those_below_it(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    make(f, "a/b");
    start(f, all);
    cycle(f);
    sample_cgroup(f, "a", 2);
    sample_cgroup(f, "a/b", 3);
    cycle(f);
    assert_int_equal(samples(f, "/a"), 5);
    assert_int_equal(samples(f, "/a/b"), 3);
}

static void cgroup__is_named_between_cycles_when_it_is_born(void **state)
{
    struct fixture *f = *state;

    start(f, tops);
    assert_true(collector_tree_fd(f->collector) < 0); /* nothing was looked at yet */
    cycle(f);
    make(f, "a");
    (void)collector_follow(f->collector, true);
    sample_cgroup(f, "a", 4);
    cycle(f);
    assert_int_equal(samples(f, "/a"), 4);
}

static void cgroup__that_has_ended__lingers_with_its_samples_and_is_named_no_more(void **state)
{
    struct fixture *f = *state;
    uint64_t id;

    make(f, "a");
    start(f, tops);
    cycle(f);
    count(f, 1);
    cycle(f);
    sample_cgroup(f, "a", 4);
    id = inode(f, "a");
    destroy(f, "a");
    cycle(f);
    assert_int_equal(samples(f, "/a"), 4);
    assert_int_equal(fake_cgroup(&program, id), 0);
}

static void cgroup__beyond_the_limit__is_not_named(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, "limits: {series: 1}\n"
             "groups: [{name: software, events: [task-clock]}]\n"
             "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n");
    cycle(f);
    assert_int_equal(fake_cgroup(&program, inode(f, "a")), 0);
}

static void collector__that_ends__leaves_nobody_named(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, tops);
    cycle(f);
    f->collector = collector_free(f->collector);
    assert_int_equal(fake_cgroup(&program, inode(f, "a")), 0);
}

static void successor__loses_no_sample_and_counts_none_twice(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    make(f, "b");
    start(f, tops);
    cycle(f);
    sample_cgroup(f, "a", 1);
    cycle(f);
    sample_cgroup(f, "a", 2); /* the predecessor has not read them yet */
    start_successor(f, all);
    sample_cgroup(f, "a", 4);
    cycle(f);
    assert_int_equal(samples(f, "/a"), 7);
    assert_int_equal(samples(f, "/b"), 0);
    sample_cgroup(f, "a", 8);
    cycle(f);
    assert_int_equal(samples(f, "/a"), 15);
}

/* What is sampled just before each round of readings, as while a successor takes over. */
static uint32_t sampled_cgroup;

struct readings __real_collector_read_and_derive(struct collector *collector);
struct readings __wrap_collector_read_and_derive(struct collector *collector);

struct readings __wrap_collector_read_and_derive(struct collector *collector)
{
    if (sampled_cgroup)
        profile_targets_count(collector->setup.profiles, sampled_cgroup, 0);
    return __real_collector_read_and_derive(collector);
}

static void successor__counts_once_what_is_sampled_while_it_takes_over(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, tops);
    cycle(f);
    sampled_cgroup = fake_cgroup(&program, inode(f, "a"));
    start_successor(f, tops); /* both read once */
    cycle(f);
    sampled_cgroup = 0;
    assert_int_equal(samples(f, "/a"), 3);
}

static void successor__without_profiles__names_nobody(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, tops);
    cycle(f);
    start_successor(f, "profiles: {enabled: false}\n"
                       "groups: [{name: software, events: [task-clock]}]\n"
                       "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n");
    cycle(f);
    assert_int_equal(fake_cgroup(&program, inode(f, "a")), 0);
    assert_null(find(f, "/a", COLUMN_PROFILE_SAMPLES));
}

static void samples__are_absent_while_nobody_takes_any(void **state)
{
    struct fixture *f = *state;

    profile_targets_attach(f->profiles, NULL, 0);
    make(f, "a");
    start(f, tops);
    cycle(f);
    cycle(f);
    assert_true(samples(f, "/a") == NUMBER_ABSENT_COUNT);
    profile_targets_attach(f->profiles, &program, 5000);
    cycle(f);
    sample_cgroup(f, "a", 3);
    cycle(f);
    assert_int_equal(samples(f, "/a"), 3);
}

static void ratio__compares_samples_with_the_clock_since_both_were_there(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, tops);
    cycle(f);
    cycle(f);
    count(f, HUNDRED_PERIODS);
    sample_cgroup(f, "a", 99);
    cycle(f);
    assert_true(ratio(f, "/a") == 0.99);
    profile_targets_attach(f->profiles, &program, 5000); /* some may have been lost */
    count(f, HUNDRED_PERIODS);
    cycle(f);
    assert_true(isnan(ratio(f, "/a")));
    count(f, HUNDRED_PERIODS);
    sample_cgroup(f, "a", 101);
    cycle(f);
    assert_true(ratio(f, "/a") == 1.01);
}

static void ratio__goes_on_over_two_successors_without_a_cycle_between(void **state)
{
    struct fixture *f = *state;

    make(f, "a");
    start(f, tops);
    cycle(f);
    cycle(f);
    for (int i = 0; i < 3; i++) {
        count(f, HUNDRED_PERIODS);
        sample_cgroup(f, "a", 100);
        if (i < 2)
            start_successor(f, tops);
    }
    cycle(f);
    assert_int_equal(samples(f, "/a"), 300);
    assert_true(ratio(f, "/a") == 1);
    assert_int_equal(total(f, "/a"), 3 * HUNDRED_PERIODS);
}

static void processes__of_a_group_are_named_with_their_descendants(void **state)
{
    struct fixture *f = *state;

    add_process(100, "web", 5);
    add_child(101, "worker", 6, 100);
    add_process(102, "other", 7);
    start(f, family);
    cycle(f);
    sample_process(f, 100, 2);
    sample_process(f, 101, 3);
    assert_int_equal(fake_process(&program, 102), 0);
    cycle(f);
    assert_int_equal(samples(f, "web"), 5);
}

static void processes__are_told_once_and_again_to_another_program(void **state)
{
    struct fixture *f = *state;

    add_process(100, "web", 5);
    start(f, family);
    cycle(f);
    cycle(f);
    cycle(f);
    assert_int_equal(program.calls, 1);
    program = (struct profile_program){.room = FAKE_MOST};
    profile_targets_attach(f->profiles, &program, 5000);
    cycle(f);
    assert_int_equal(program.calls, 1);
    start_successor(f, family);
    cycle(f);
    assert_int_equal(program.calls, 1);
    sample_process(f, 100, 2);
    cycle(f);
    assert_int_equal(samples(f, "web"), 2);
}

static void process__that_has_ended__belongs_to_nobody_and_its_group_rests(void **state)
{
    struct fixture *f = *state;

    add_process(100, "web", 5);
    start(f, family);
    cycle(f);
    count_thread(f, 100, 1);
    cycle(f);
    sample_process(f, 100, 2);
    end_process(100);
    cycle(f);
    cycle(f);
    assert_int_equal(fake_process(&program, 100), 0);
    add_process(200, "web", 9);
    cycle(f);
    sample_process(f, 200, 3);
    cycle(f);
    assert_int_equal(samples(f, "web"), 5);
}

static void status__is_that_of_the_slot(void **state)
{
    struct fixture *f = *state;

    start(f, tops);
    cycle(f);
    assert_false(f->snapshot->status.profile.wanted);
    profile_status_slot_set(f->profile_status,
                            &(struct profile_status){.wanted = true, .rate_hz = 49});
    cycle(f);
    assert_int_equal(f->snapshot->status.profile.rate_hz, 49);
}

#define PROFILE_TEST(name)                                                                         \
    cmocka_unit_test_setup_teardown(name, set_up_profiles, tear_down_profiles)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROFILE_TEST(cgroup__has_the_samples_of_those_below_it),
        PROFILE_TEST(cgroup__is_named_between_cycles_when_it_is_born),
        PROFILE_TEST(cgroup__that_has_ended__lingers_with_its_samples_and_is_named_no_more),
        PROFILE_TEST(cgroup__beyond_the_limit__is_not_named),
        PROFILE_TEST(collector__that_ends__leaves_nobody_named),
        PROFILE_TEST(successor__loses_no_sample_and_counts_none_twice),
        PROFILE_TEST(successor__counts_once_what_is_sampled_while_it_takes_over),
        PROFILE_TEST(successor__without_profiles__names_nobody),
        PROFILE_TEST(samples__are_absent_while_nobody_takes_any),
        PROFILE_TEST(ratio__compares_samples_with_the_clock_since_both_were_there),
        PROFILE_TEST(ratio__goes_on_over_two_successors_without_a_cycle_between),
        PROFILE_TEST(processes__of_a_group_are_named_with_their_descendants),
        PROFILE_TEST(processes__are_told_once_and_again_to_another_program),
        PROFILE_TEST(process__that_has_ended__belongs_to_nobody_and_its_group_rests),
        PROFILE_TEST(status__is_that_of_the_slot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
