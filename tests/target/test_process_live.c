/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "target/process_live.h"

static void process__is_found_and_its_end_told(void **state)
{
    struct fixture *fixture = *state;
    pid_t before = child_named(name_a), after;
    struct process_target *target;

    first_update(fixture);
    assert_non_null(born(fixture, before));
    after = child_named(name_b);
    fixture_update(fixture);
    assert_changes(fixture, 1, 0);
    target = born(fixture, after);
    assert_string_equal(target->group, name_b);
    assert_true(process_target_lives(target));
    child_end(after);
    assert_false(process_target_lives(target));
    fixture_update(fixture);
    assert_changes(fixture, 0, 1);
    assert_ptr_equal(gone(fixture, after), target);
    release_all(fixture);
    child_end(before);
    (void)wait_gone(fixture, before);
    release_all(fixture);
}

static void run_that_renames_itself(const void *argument, int ready)
{
    const struct pipes *pipes = argument;
    char byte;

    (void)prctl(PR_SET_NAME, name_a);
    (void)!write(ready, "r", 1);
    (void)!read(pipes->go, &byte, 1);
    child_wait(name_b, pipes->done);
}

static void process__that_changes_its_name_becomes_another_target(void **state)
{
    struct fixture *fixture = *state;
    int go[2], done[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(done), 0);
    pid = child_new(run_that_renames_itself, &(struct pipes){go[0], done[1]});
    first_update(fixture);
    assert_string_equal(born(fixture, pid)->group, name_a);
    assert_int_equal(write(go[1], "g", 1), 1);
    assert_int_equal(read(done[0], &byte, 1), 1);
    fixture_update(fixture);
    assert_changes(fixture, 1, 1);
    assert_string_equal(gone(fixture, pid)->group, name_a);
    assert_string_equal(born(fixture, pid)->group, name_b);
    assert_true(process_target_lives(born(fixture, pid)));
    release_all(fixture);
    child_end(pid);
    (void)wait_gone(fixture, pid);
    release_all(fixture);
    for (int i = 0; i < 2; i++)
        assert_int_equal(close(go[i]) + close(done[i]), 0);
}

/* Executes a program that waits; the process has the name name_b then. */
static char sleeping_program[128];

static void link_sleep(const struct fixture_tree *tree)
{
    (void)snprintf(sleeping_program, sizeof(sleeping_program), "%s/%s", tree->path, name_b);
    assert_int_equal(symlink("/bin/sleep", sleeping_program), 0);
}

static void run_exec(const void *argument, int ready)
{
    (void)argument;
    (void)prctl(PR_SET_NAME, "before");
    (void)!write(ready, "r", 1);
    (void)usleep(20000);
    (void)execl(sleeping_program, sleeping_program, "600", NULL);
}

static void process__is_matched_again_at_its_exec(void **state)
{
    struct fixture *fixture = *state;
    struct fixture_tree tree = fixture_tree_open();
    pid_t pid;

    link_sleep(&tree);
    first_update(fixture);
    pid = child_new(run_exec, NULL);
    for (int i = 0; i < WAITS && !born(fixture, pid); i++) {
        wait_a_little();
        fixture_update(fixture);
    }
    assert_string_equal(born(fixture, pid)->group, name_b);
    child_end(pid);
    (void)wait_gone(fixture, pid);
    release_all(fixture);
    fixture_tree_close(&tree);
}

/* Does as run_exec() does, but on command, and keeps its name. */
static void run_exec_of_same_name(const void *argument, int ready)
{
    char byte;

    (void)argument;
    (void)prctl(PR_SET_NAME, name_b);
    (void)!write(ready, "r", 1);
    (void)!read(STDIN_FILENO, &byte, 1);
    (void)execl(sleeping_program, sleeping_program, "600", NULL);
}

/* Whether the set knows of the exec. False if records were lost, of which this may be one. */
static bool exec_is_told(struct fixture *fixture)
{
    uint64_t before = losses(fixture);
    int go[2], own_stdin = dup(STDIN_FILENO);
    bool told;
    pid_t pid;

    assert_int_equal(pipe(go), 0);
    assert_true(dup2(go[0], STDIN_FILENO) >= 0);
    pid = child_new(run_exec_of_same_name, NULL);
    assert_true(dup2(own_stdin, STDIN_FILENO) >= 0);
    fixture_update(fixture);
    assert_non_null(born(fixture, pid));
    assert_int_equal(write(go[1], "g", 1), 1);
    for (int i = 0; i < WAITS && !gone(fixture, pid) && losses(fixture) == before; i++) {
        wait_a_little();
        fixture_update(fixture);
    }
    told = gone(fixture, pid);
    if (told)
        assert_non_null(born(fixture, pid));
    else
        assert_true(losses(fixture) != before);
    release_all(fixture);
    child_end(pid);
    (void)wait_gone(fixture, pid);
    release_all(fixture);
    assert_int_equal(close(go[0]) + close(go[1]) + close(own_stdin), 0);
    return told;
}

static void process__that_executes_a_program_is_another_target_though_its_name_stays(void **state)
{
    struct fixture *fixture = *state;
    struct fixture_tree tree = fixture_tree_open();

    link_sleep(&tree);
    first_update(fixture);
    until_all_is_told(fixture, exec_is_told);
    fixture_tree_close(&tree);
}

static void *outlive(void *ready)
{
    child_wait("thread", *(const int *)ready);
    return NULL;
}

static void run_leader_that_exits(const void *argument, int ready)
{
    static int fd;
    pthread_t thread;

    (void)argument;
    (void)prctl(PR_SET_NAME, name_a);
    fd = ready;
    if (pthread_create(&thread, NULL, outlive, &fd) == 0)
        pthread_exit(NULL);
}

static void leader__that_exited_first_counts_until_its_threads_end(void **state)
{
    struct fixture *fixture = *state;
    struct process_target *target;
    AUTO_FREE pid_t *threads = NULL;
    pid_t pid;
    size_t n;

    first_update(fixture);
    pid = child_new(run_leader_that_exits, NULL);
    fixture_update(fixture);
    target = born(fixture, pid);
    assert_non_null(target);
    for (int i = 0; i < 8; i++) {
        fixture_update(fixture);
        assert_null(gone(fixture, pid));
    }
    assert_true(process_target_lives(target));
    assert_int_equal(process_targets_threads(fixture->set, target, &threads, &n), 0);
    assert_int_equal(n, 2);
    child_end(pid);
    (void)wait_gone(fixture, pid);
    release_all(fixture);
}

static void zombie__is_not_found(void **state)
{
    struct fixture *fixture = *state;
    pid_t pid = child_named(name_a);

    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0);
    first_update(fixture);
    assert_null(born(fixture, pid));
    assert_true(waitpid(pid, NULL, 0) == pid);
}

static void storm__of_births_costs_nothing_when_it_is_over(void **state)
{
    struct fixture *fixture = *state;
    pid_t pids[600];

    first_update(fixture);
    for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0)
            _exit(0);
        assert_true(waitpid(pids[i], NULL, 0) == pids[i]);
    }
    fixture_update(fixture);
    for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
        assert_null(process_find(fixture->set, pids[i]));
    assert_true(TAILQ_EMPTY(&fixture->set->turns));
}

/* More is born than the kernel has records for: then all of /proc is read, once. */
static void storm__that_loses_records_is_made_good(void **state)
{
    struct fixture *fixture = *state;
    struct process_census before;
    pid_t pid;

    first_update(fixture);
    before = *process_targets_census(fixture->set);
    for (int i = 0; i < 20000; i++)
        (void)prctl(PR_SET_NAME, i % 2 ? "storm" : "test");
    pid = child_named(name_a);
    fixture_update(fixture);
    assert_non_null(born(fixture, pid));
    assert_true(process_targets_census(fixture->set)->rescans > before.rescans);
    assert_int_equal(process_targets_census(fixture->set)->losses > before.losses,
                     fixture->set->is_ours);
    child_end(pid);
    (void)wait_gone(fixture, pid);
    release_all(fixture);
}

static void ourselves__may_be_a_target(void **state)
{
    struct fixture *fixture = *state;

    (void)prctl(PR_SET_NAME, name_a);
    first_update(fixture);
    assert_non_null(born(fixture, getpid()));
    (void)prctl(PR_SET_NAME, "test");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_BOTH(process__is_found_and_its_end_told),
        TEST_BOTH(process__that_changes_its_name_becomes_another_target),
        TEST_BOTH(process__is_matched_again_at_its_exec),
        cmocka_unit_test_setup_teardown(
            process__that_executes_a_program_is_another_target_though_its_name_stays,
            setup_over_proc, teardown),
        TEST_BOTH(leader__that_exited_first_counts_until_its_threads_end),
        TEST_BOTH(zombie__is_not_found),
        TEST_BOTH(storm__of_births_costs_nothing_when_it_is_over),
        TEST_BOTH(storm__that_loses_records_is_made_good),
        TEST_BOTH(ourselves__may_be_a_target),
    };

    return cmocka_run_group_tests_name("process_live", tests, NULL, NULL);
}
