/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <pthread.h>

#include "profile/targets.h"
#include "support/fake_profile_program.h"

struct fixture {
    struct profile_targets *targets;
    struct profile_program program;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->targets = profile_targets_new();
    f->program.room = FAKE_MOST;
    *state = f;
    return f->targets ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    f->targets = profile_targets_free(f->targets);
    free(f);
    return 0;
}

static struct profile_target *add(struct fixture *f, uint64_t id, const char *path)
{
    const struct profile_cgroup cgroup = {.id = id, .path = path, .label = path};
    struct profile_target *target = profile_targets_add_cgroup(f->targets, &cgroup);

    assert_non_null(target);
    return target;
}

static uint64_t samples(struct fixture *f, const struct profile_target *target)
{
    return profile_targets_read(f->targets, target).samples;
}

static void attach(struct fixture *f)
{
    profile_targets_attach(f->targets, &f->program, 1000);
}

static void count_in(struct fixture *f, uint64_t id)
{
    profile_targets_count(f->targets, fake_cgroup(&f->program, id), 0);
}

/* A whole round that names one process, or none where it is NULL. Returns what naming it does. */
static bool round_of(struct fixture *f, const struct profile_target *group,
                     const struct profile_watched *process)
{
    bool is_to_tell = false;

    profile_targets_begin_round(f->targets);
    if (process)
        is_to_tell = profile_targets_watch(f->targets, group, process);
    profile_targets_end_round(f->targets);
    return is_to_tell;
}

static void tell(struct fixture *f, const struct profile_watched *process)
{
    assert_int_equal(profile_targets_tell(f->targets, process, &process->pid, 1), 0);
}

static void cgroup__is_known_to_programs_that_come_before_it_and_after_it(void **state)
{
    struct fixture *f = *state;

    add(f, 10, "/a");
    attach(f);
    add(f, 20, "/b");
    assert_true(fake_cgroup(&f->program, 10) > 0);
    assert_true(fake_cgroup(&f->program, 20) > 0);
    assert_true(fake_cgroup(&f->program, 10) != fake_cgroup(&f->program, 20));
}

static void target__that_is_entered_twice__is_one_until_both_have_dropped_it(void **state)
{
    struct fixture *f = *state;
    struct profile_target *one, *other, *group;

    attach(f);
    one = add(f, 10, "/a");
    count_in(f, 10);
    other = add(f, 10, "/a");
    assert_ptr_equal(one, other);
    one = profile_targets_remove(f->targets, one);
    assert_null(one);
    count_in(f, 10);
    assert_int_equal(samples(f, other), 2);
    (void)profile_targets_remove(f->targets, other);
    assert_int_equal(fake_cgroup(&f->program, 10), 0);
    group = profile_targets_add_group(f->targets, "nginx");
    assert_ptr_equal(profile_targets_add_group(f->targets, "nginx"), group);
    assert_ptr_not_equal(profile_targets_add_group(f->targets, "postgres"), group);
}

static void cgroup__has_the_samples_of_those_below_it(void **state)
{
    struct fixture *f = *state;
    struct profile_target *root = add(f, 1, "/"), *above = add(f, 10, "/a"),
                          *below = add(f, 20, "/a/b/c"), *beside = add(f, 30, "/a-b");

    attach(f);
    count_in(f, 20);
    count_in(f, 10);
    count_in(f, 30);
    assert_int_equal(samples(f, below), 1);
    assert_int_equal(samples(f, above), 2);
    assert_int_equal(samples(f, beside), 1);
    assert_int_equal(samples(f, root), 3);
}

static void cgroup__of_an_encoded_label__counts_for_what_is_above_it(void **state)
{
    const struct profile_cgroup clean = {10, "/a b", "/a b"};
    const struct profile_cgroup unclean = {20, "/a b/\xff", "%/a%20b/%FF"};
    struct fixture *f = *state;
    struct profile_target *above = profile_targets_add_cgroup(f->targets, &clean);

    assert_non_null(profile_targets_add_cgroup(f->targets, &unclean));
    attach(f);
    count_in(f, 20);
    assert_int_equal(samples(f, above), 1);
}

static void cgroup__that_is_reborn__has_a_sum_of_its_own(void **state)
{
    struct fixture *f = *state;
    struct profile_target *before, *after, *below;

    attach(f);
    before = add(f, 10, "/a");
    below = add(f, 20, "/a/b");
    count_in(f, 20);
    after = add(f, 11, "/a");
    count_in(f, 20);
    assert_int_equal(samples(f, before), 1);
    assert_int_equal(samples(f, after), 1);
    assert_int_equal(samples(f, below), 2);
    (void)profile_targets_remove(f->targets, before);
    count_in(f, 20);
    assert_int_equal(samples(f, after), 2);
}

static void cgroup__is_sampled_since_a_program_knows_of_it(void **state)
{
    struct fixture *f = *state;
    struct profile_target *target = add(f, 10, "/a");

    assert_int_equal(profile_targets_read(f->targets, target).since_ns, 0);
    attach(f);
    assert_int_equal(profile_targets_read(f->targets, target).since_ns, 1000);
    profile_targets_attach(f->targets, NULL, 2000);
    assert_int_equal(profile_targets_read(f->targets, target).since_ns, 0);
}

static void cgroup__for_which_there_was_no_room__gets_it_when_another_goes(void **state)
{
    struct fixture *f = *state;
    struct profile_target *first, *second;

    f->program.room = 1;
    attach(f);
    first = add(f, 10, "/a");
    second = add(f, 20, "/b");
    assert_int_equal(profile_targets_read(f->targets, second).since_ns, 0);
    (void)round_of(f, NULL, NULL);
    assert_int_equal(fake_cgroup(&f->program, 20), 0);
    (void)profile_targets_remove(f->targets, first);
    (void)round_of(f, NULL, NULL);
    assert_true(fake_cgroup(&f->program, 20) > 0);
    assert_true(profile_targets_read(f->targets, second).since_ns > 0);
}

static void process__is_told_once(void **state)
{
    const struct profile_watched process = {.pid = 7, .start_ticks = 1};
    struct fixture *f = *state;
    struct profile_target *group = profile_targets_add_group(f->targets, "g");

    assert_false(round_of(f, group, &process)); /* nobody samples */
    attach(f);
    assert_true(round_of(f, group, &process));
    tell(f, &process);
    assert_false(round_of(f, group, &process));
    profile_targets_count(f->targets, 0, fake_process(&f->program, 7));
    assert_int_equal(samples(f, group), 1);
    attach(f);
    assert_true(round_of(f, group, &process)); /* the next program knows of nobody */
}

static void process__that_is_not_named__belongs_to_nobody(void **state)
{
    const struct profile_watched process = {.pid = 7, .start_ticks = 1, .children = true};
    const pid_t pids[] = {7, 8, 9};
    struct fixture *f = *state;
    struct profile_target *group = profile_targets_add_group(f->targets, "g");

    attach(f);
    assert_true(round_of(f, group, &process));
    assert_int_equal(profile_targets_tell(f->targets, &process, pids, 3), 0);
    assert_true(fake_process(&f->program, 9) > 0);
    (void)round_of(f, group, NULL);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(fake_process(&f->program, pids[i]), 0);
}

static void process__that_changes_its_group__leaves_nothing_in_the_former(void **state)
{
    const struct profile_watched process = {.pid = 7, .start_ticks = 1, .children = true};
    const pid_t before[] = {7, 8}, after[] = {7, 9};
    struct fixture *f = *state;
    struct profile_target *one = profile_targets_add_group(f->targets, "one");
    struct profile_target *other = profile_targets_add_group(f->targets, "other");

    attach(f);
    (void)round_of(f, one, &process);
    assert_int_equal(profile_targets_tell(f->targets, &process, before, 2), 0);
    assert_true(round_of(f, other, &process));
    assert_int_equal(profile_targets_tell(f->targets, &process, after, 2), 0);
    assert_int_equal(fake_process(&f->program, 8), 0);
    profile_targets_count(f->targets, 0, fake_process(&f->program, 7));
    assert_int_equal(samples(f, one), 0);
    assert_int_equal(samples(f, other), 1);
}

static void number__that_another_process_has_by_now__stays_with_it(void **state)
{
    const struct profile_watched before = {.pid = 7, .start_ticks = 1};
    const struct profile_watched after = {.pid = 7, .start_ticks = 2};
    struct fixture *f = *state;
    struct profile_target *group = profile_targets_add_group(f->targets, "g");

    attach(f);
    (void)round_of(f, group, &before);
    tell(f, &before);
    assert_true(round_of(f, group, &after));
    tell(f, &after);
    (void)round_of(f, group, &after);
    assert_true(fake_process(&f->program, 7) > 0);
}

static void process__for_which_there_was_no_room__is_told_again(void **state)
{
    const struct profile_watched process = {.pid = 7, .start_ticks = 1};
    struct fixture *f = *state;
    struct profile_target *group = profile_targets_add_group(f->targets, "g");

    attach(f);
    f->program.room = 0;
    assert_true(round_of(f, group, &process));
    assert_int_equal(profile_targets_tell(f->targets, &process, &process.pid, 1), -E2BIG);
    f->program.room = FAKE_MOST;
    assert_true(round_of(f, group, &process));
    tell(f, &process);
    assert_false(round_of(f, group, &process));
}

/* Samples as the other thread does, while cgroups come and go. */
static void *sample_all(void *targets)
{
    AUTO(profile_store)
    struct profile_store *store = profile_store_new(
        &(struct profile_limits){
            .nodes = 100, .functions = 100, .slice_bytes = 10000, .recent = 100, .targets = 20},
        49);

    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t cgroup, group;

        profile_targets_find(targets, store, 1 + i % 50, 2 + i % 50, &cgroup, &group);
        profile_targets_count(targets, 1 + i % 50, 0);
    }
    return NULL;
}

static void targets__come_and_go_while_another_thread_counts(void **state)
{
    struct fixture *f = *state;
    struct profile_target *above = add(f, 1, "/a");
    pthread_t thread;

    attach(f);
    assert_int_equal(pthread_create(&thread, NULL, sample_all, f->targets), 0);
    for (int i = 0; i < 2000; i++) {
        struct profile_target *below = add(f, 2, "/a/b");

        (void)round_of(f, NULL, NULL);
        (void)samples(f, above);
        (void)profile_targets_remove(f->targets, below);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(samples(f, above) >= 20000 / 50);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cgroup__is_known_to_programs_that_come_before_it_and_after_it),
        TEST(target__that_is_entered_twice__is_one_until_both_have_dropped_it),
        TEST(cgroup__has_the_samples_of_those_below_it),
        TEST(cgroup__of_an_encoded_label__counts_for_what_is_above_it),
        TEST(cgroup__that_is_reborn__has_a_sum_of_its_own),
        TEST(cgroup__is_sampled_since_a_program_knows_of_it),
        TEST(cgroup__for_which_there_was_no_room__gets_it_when_another_goes),
        TEST(process__is_told_once),
        TEST(process__that_is_not_named__belongs_to_nobody),
        TEST(process__that_changes_its_group__leaves_nothing_in_the_former),
        TEST(number__that_another_process_has_by_now__stays_with_it),
        TEST(process__for_which_there_was_no_room__is_told_again),
        TEST(targets__come_and_go_while_another_thread_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
