/* SPDX-License-Identifier: Apache-2.0 */

/* Tests of children and orphans, over the real /proc. */
#include "target/process_live.h"

/* The process has begun when it has written its number. */
static void orphan_main(int tell)
{
    const pid_t self = getpid();

    (void)prctl(PR_SET_PDEATHSIG, 0);
    (void)alarm(60); /* it ends whatever becomes of the test */
    (void)prctl(PR_SET_NAME, name_a);
    (void)!write(tell, &self, sizeof(self));
    for (;;)
        (void)pause();
}

/* Starts a child that starts a grandchild and ends. */
static void run_parent(const void *argument, int ready)
{
    const int *tell = argument;
    pid_t middle;

    (void)prctl(PR_SET_NAME, name_parent);
    middle = fork();
    if (middle == 0) {
        if (fork() == 0)
            orphan_main(*tell);
        _exit(0);
    }
    (void)waitpid(middle, NULL, 0);
    child_wait(name_parent, ready);
}

static pid_t parent_new(pid_t *ret_orphan)
{
    int tell[2];
    pid_t pid;

    assert_int_equal(pipe(tell), 0);
    pid = child_new(run_parent, &tell[1]);
    assert_int_equal(read(tell[0], ret_orphan, sizeof(*ret_orphan)), sizeof(*ret_orphan));
    (void)close(tell[0]);
    (void)close(tell[1]);
    return pid;
}

/* False if records were lost: the middle process had ended, so nobody else knows of it. */
static bool orphan_stays(struct fixture *fixture)
{
    AUTO_FREE pid_t *threads = NULL;
    struct process_target *target;
    uint64_t before = losses(fixture);
    pid_t pid, orphan;
    bool told; /* else, as where nothing is, /proc is all there is */
    size_t n;

    pid = parent_new(&orphan);
    fixture_update(fixture);
    target = born(fixture, pid);
    assert_non_null(target);
    told = fixture->set->is_ours && losses(fixture) == before;
    if (told) {
        assert_null(born(fixture, orphan));
        assert_int_equal(target->n_members, 2);
        assert_int_equal(process_targets_threads(fixture->set, target, &threads, &n), 0);
        assert_int_equal(n, 2);
    }
    child_end(pid);
    assert_true(orphan > 1);
    assert_int_equal(kill(orphan, SIGKILL), 0);
    (void)wait_gone(fixture, pid);
    release_all(fixture);
    return told || !fixture->set->is_ours;
}

static void orphan__stays_with_the_target_by_the_kernels_record(void **state)
{
    struct fixture *fixture = *state;
    pid_t first = child_named(name_parent);

    first_update(fixture);
    assert_non_null(born(fixture, first));
    until_all_is_told(fixture, orphan_stays);
    child_end(first);
    (void)wait_gone(fixture, first);
    release_all(fixture);
}

static void run_parent_of_two(const void *argument, int ready)
{
    const struct pipes *pipes = argument;
    char byte;

    (void)prctl(PR_SET_NAME, name_parent);
    (void)!write(ready, "r", 1);
    (void)!read(pipes->go, &byte, 1);
    run_parent(&pipes->tell, pipes->done);
}

/* False if records were lost: /proc does not show a chain of parents that is broken by then. */
static bool children_belong(struct fixture *fixture)
{
    struct process_target *target;
    int go[2], done[2], tell[2];
    uint64_t before;
    pid_t pid, orphan;
    char byte;
    bool told;

    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(done), 0);
    assert_int_equal(pipe(tell), 0);
    pid = child_new(run_parent_of_two, &(struct pipes){go[0], done[1], tell[1]});
    first_update(fixture);
    target = born(fixture, pid);
    assert_non_null(target);
    before = losses(fixture);
    assert_int_equal(write(go[1], "g", 1), 1);
    assert_int_equal(read(done[0], &byte, 1), 1);
    assert_int_equal(read(tell[0], &orphan, sizeof(orphan)), sizeof(orphan));
    fixture_update(fixture);
    told = fixture->set->is_ours && losses(fixture) == before;
    if (told) {
        assert_changes(fixture, 0, 0);
        assert_int_equal(target->n_members, 2);
    }
    child_end(pid);
    if (told) {
        fixture_update(fixture);
        assert_changes(fixture, 0, 0);
        assert_int_equal(target->n_members, 1);
        assert_false(process_target_lives(target));
    }
    assert_int_equal(kill(orphan, SIGKILL), 0);
    (void)wait_gone(fixture, pid);
    release_all(fixture);
    for (int i = 0; i < 2; i++)
        assert_int_equal(close(go[i]) + close(done[i]) + close(tell[i]), 0);
    return told || !fixture->set->is_ours;
}

static void children__of_a_target_belong_to_it_from_their_birth(void **state)
{
    until_all_is_told(*state, children_belong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_BOTH(orphan__stays_with_the_target_by_the_kernels_record),
        TEST_BOTH(children__of_a_target_belong_to_it_from_their_birth),
    };

    return cmocka_run_group_tests_name("process_families", tests, NULL, NULL);
}
