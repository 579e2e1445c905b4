/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <unistd.h>

#include "target/process_fixture.h"

#include "support/child.h"

/*
 * Over the real /proc, with processes that the test starts; each test runs where
 * the kernel tells of births and deaths, and where each update reads all of /proc.
 */

static int setup_over_proc(void **state)
{
    static struct fixture fixture;
    int procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (procfs_fd < 0)
        return -1;
    fixture = (struct fixture){.tree.fd = -1};
    fixture_begin(&fixture, procfs_fd, &roomy);
    fixture_add_rule(&fixture, "family", "pmut_parent", true);
    fixture_add_rule(&fixture, "{{.Comm}}", "pmut_a", false);
    fixture_add_rule(&fixture, "{{.Comm}}", "pmut_b", false);
    *state = &fixture;
    return 0;
}

static int setup_scanning(void **state)
{
    int r = setup_over_proc(state);

    if (r == 0) {
        struct fixture *fixture = *state;

        fixture->set->is_ours = false; /* as if nothing were permitted */
    }
    return r;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    int procfs_fd = fixture->procfs_fd;

    fixture_end(fixture);
    return close(procfs_fd);
}

/* Births and deaths that an update brought, of processes of our own; the machine has others. */
static void release_all(struct fixture *fixture)
{
    for (size_t i = 0; i < fixture->changes.n_gone; i++)
        process_targets_release(fixture->set, fixture->changes.gone[i]);
    fixture->changes.n_gone = 0;
}

/* The first update of the set; then the kernel tells, if it is to. */
static void first_update(struct fixture *fixture)
{
    fixture_update(fixture);
    if (fixture->set->is_ours && !process_targets_census(fixture->set)->watching) {
        print_message("skipped: no system-wide perf events here (CAP_PERFMON)\n");
        skip();
    }
}

/* Updates until it is told as gone, for a few seconds at most. */
static struct process_target *wait_gone(struct fixture *fixture, pid_t pid)
{
    for (int i = 0; i < 500; i++) {
        const struct timespec pause = {.tv_nsec = 10000000};

        fixture_update(fixture);
        if (gone(fixture, pid))
            return gone(fixture, pid);
        release_all(fixture);
        (void)nanosleep(&pause, NULL);
    }
    fail_msg("it is never gone");
    return NULL;
}

static void process__is_found_and_its_end_told(void **state)
{
    struct fixture *fixture = *state;
    pid_t before = child_named("pmut_a"), after;
    struct process_target *target;

    first_update(fixture);
    assert_non_null(born(fixture, before));
    after = child_named("pmut_b");
    fixture_update(fixture);
    assert_changes(fixture, 1, 0);
    target = born(fixture, after);
    assert_string_equal(target->group, "pmut_b");
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

struct pipes {
    int go, done, tell;
};

static void run_that_renames_itself(const void *argument, int ready)
{
    const struct pipes *pipes = argument;
    char byte;

    (void)prctl(PR_SET_NAME, "pmut_a");
    (void)!write(ready, "r", 1);
    (void)!read(pipes->go, &byte, 1);
    child_wait("pmut_b", pipes->done);
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
    assert_string_equal(born(fixture, pid)->group, "pmut_a");
    assert_int_equal(write(go[1], "g", 1), 1);
    assert_int_equal(read(done[0], &byte, 1), 1);
    fixture_update(fixture);
    assert_changes(fixture, 1, 1);
    assert_string_equal(gone(fixture, pid)->group, "pmut_a");
    assert_string_equal(born(fixture, pid)->group, "pmut_b");
    assert_true(process_target_lives(born(fixture, pid)));
    release_all(fixture);
    child_end(pid);
    (void)wait_gone(fixture, pid);
    release_all(fixture);
    for (int i = 0; i < 2; i++)
        assert_int_equal(close(go[i]) + close(done[i]), 0);
}

/* A name of its own for a program that waits. */
static void run_exec(const void *path, int ready)
{
    (void)prctl(PR_SET_NAME, "pmut_x");
    (void)!write(ready, "r", 1);
    (void)usleep(20000);
    (void)execl(path, path, "600", NULL);
}

static void process__is_matched_again_at_its_exec(void **state)
{
    struct fixture *fixture = *state;
    struct fixture_tree tree = fixture_tree_open();
    char path[96];
    pid_t pid;

    (void)snprintf(path, sizeof(path), "%s/pmut_b", tree.path);
    assert_int_equal(symlink("/bin/sleep", path), 0);
    first_update(fixture);
    pid = child_new(run_exec, path);
    for (int i = 0; i < 500 && !born(fixture, pid); i++) {
        (void)usleep(10000);
        fixture_update(fixture);
    }
    assert_string_equal(born(fixture, pid)->group, "pmut_b");
    child_end(pid);
    (void)wait_gone(fixture, pid);
    release_all(fixture);
    fixture_tree_close(&tree);
}

/* As run_exec(), when it is told, and under the same name. */
static void run_exec_of_same_name(const void *argument, int ready)
{
    const char *const *path = argument;
    char byte;

    (void)prctl(PR_SET_NAME, "pmut_b");
    (void)!write(ready, "r", 1);
    (void)!read(STDIN_FILENO, &byte, 1);
    (void)execl(*path, *path, "600", NULL);
}

static void process__that_executes_a_program_is_another_target_though_its_name_stays(void **state)
{
    struct fixture *fixture = *state;
    struct fixture_tree tree = fixture_tree_open();
    char path[96];
    const char *argument = path;
    int go[2], before;
    pid_t pid;

    (void)snprintf(path, sizeof(path), "%s/pmut_b", tree.path);
    assert_int_equal(symlink("/bin/sleep", path), 0);
    assert_int_equal(pipe(go), 0);
    before = dup(STDIN_FILENO);
    assert_true(dup2(go[0], STDIN_FILENO) >= 0);
    first_update(fixture);
    pid = child_new(run_exec_of_same_name, &argument);
    assert_true(dup2(before, STDIN_FILENO) >= 0);
    fixture_update(fixture);
    assert_non_null(born(fixture, pid));
    assert_int_equal(write(go[1], "g", 1), 1);
    for (int i = 0; i < 500 && !gone(fixture, pid); i++) {
        (void)usleep(10000);
        fixture_update(fixture);
    }
    assert_non_null(gone(fixture, pid));
    assert_non_null(born(fixture, pid));
    release_all(fixture);
    child_end(pid);
    (void)wait_gone(fixture, pid);
    release_all(fixture);
    fixture_tree_close(&tree);
    assert_int_equal(close(go[0]) + close(go[1]) + close(before), 0);
}

/* Its number tells that it has begun. */
static void orphan_main(int tell)
{
    const pid_t self = getpid();

    (void)prctl(PR_SET_PDEATHSIG, 0);
    (void)alarm(60); /* whatever becomes of the test */
    (void)prctl(PR_SET_NAME, "pmut_a");
    (void)!write(tell, &self, sizeof(self));
    for (;;)
        (void)pause();
}

/* Starts a child that starts a grandchild and ends. */
static void run_parent(const void *argument, int ready)
{
    const int *tell = argument;
    pid_t middle;

    (void)prctl(PR_SET_NAME, "pmut_parent");
    middle = fork();
    if (middle == 0) {
        if (fork() == 0)
            orphan_main(*tell);
        _exit(0);
    }
    (void)waitpid(middle, NULL, 0);
    child_wait("pmut_parent", ready);
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

static void orphan__stays_with_the_target_by_the_kernels_record(void **state)
{
    struct fixture *fixture = *state;
    AUTO_FREE pid_t *threads = NULL;
    struct process_target *target;
    pid_t pid, orphan, first = child_named("pmut_parent");
    size_t n;

    first_update(fixture);
    assert_non_null(born(fixture, first));
    pid = parent_new(&orphan);
    fixture_update(fixture);
    target = born(fixture, pid);
    assert_non_null(target);
    if (fixture->set->is_ours) { /* else nobody knows of the middle one, which was gone before */
        assert_null(born(fixture, orphan));
        assert_int_equal(target->n_members, 2);
        assert_int_equal(process_targets_threads(fixture->set, target, &threads, &n), 0);
        assert_int_equal(n, 2);
    }
    child_end(pid);
    child_end(first);
    assert_true(orphan > 1);
    assert_int_equal(kill(orphan, SIGKILL), 0);
    (void)wait_gone(fixture, pid);
    release_all(fixture);
}

static void run_parent_of_two(const void *argument, int ready)
{
    const struct pipes *pipes = argument;
    char byte;

    (void)prctl(PR_SET_NAME, "pmut_parent");
    (void)!write(ready, "r", 1);
    (void)!read(pipes->go, &byte, 1);
    run_parent(&pipes->tell, pipes->done);
}

static void children__of_a_target_belong_to_it_from_their_birth(void **state)
{
    struct fixture *fixture = *state;
    struct process_target *target;
    int go[2], done[2], tell[2];
    pid_t pid, orphan;
    char byte;

    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(done), 0);
    assert_int_equal(pipe(tell), 0);
    pid = child_new(run_parent_of_two, &(struct pipes){go[0], done[1], tell[1]});
    first_update(fixture);
    target = born(fixture, pid);
    assert_non_null(target);
    assert_int_equal(write(go[1], "g", 1), 1);
    assert_int_equal(read(done[0], &byte, 1), 1);
    assert_int_equal(read(tell[0], &orphan, sizeof(orphan)), sizeof(orphan));
    fixture_update(fixture);
    if (fixture->set->is_ours) { /* a chain that is broken when /proc is read cannot be told */
        assert_changes(fixture, 0, 0);
        assert_int_equal(target->n_members, 2);
    }
    child_end(pid);
    if (fixture->set->is_ours) {
        fixture_update(fixture);
        assert_changes(fixture, 0, 0);
        assert_int_equal(target->n_members, 1);
        assert_false(process_target_lives(target));
    }
    assert_int_equal(kill(orphan, SIGKILL), 0);
    if (!gone(fixture, pid))
        (void)wait_gone(fixture, pid);
    release_all(fixture);
    for (int i = 0; i < 2; i++)
        assert_int_equal(close(go[i]) + close(done[i]) + close(tell[i]), 0);
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
    (void)prctl(PR_SET_NAME, "pmut_a");
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
    pid_t pid = child_named("pmut_a");

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
    assert_true(TAILQ_EMPTY(&fixture->set->to_look));
}

/* More than the kernel can tell: then all of /proc is read, once. */
static void storm__that_loses_records_is_made_good(void **state)
{
    struct fixture *fixture = *state;
    uint64_t before;
    pid_t pid;

    first_update(fixture);
    before = process_targets_census(fixture->set)->rescans;
    for (int i = 0; i < 20000; i++)
        (void)prctl(PR_SET_NAME, i % 2 ? "pmut_storm" : "test");
    pid = child_named("pmut_a");
    fixture_update(fixture);
    assert_non_null(born(fixture, pid));
    assert_true(process_targets_census(fixture->set)->rescans > before);
    child_end(pid);
    (void)wait_gone(fixture, pid);
    release_all(fixture);
}

static void ourselves__may_be_a_target(void **state)
{
    struct fixture *fixture = *state;

    (void)prctl(PR_SET_NAME, "pmut_a");
    first_update(fixture);
    assert_non_null(born(fixture, getpid()));
    (void)prctl(PR_SET_NAME, "test");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name)                                                                                 \
    {#name ", watching", name, setup_over_proc, teardown, NULL},                                   \
        {#name ", scanning", name, setup_scanning, teardown, NULL}
        TEST(process__is_found_and_its_end_told),
        TEST(process__that_changes_its_name_becomes_another_target),
        TEST(process__is_matched_again_at_its_exec),
        cmocka_unit_test_setup_teardown(
            process__that_executes_a_program_is_another_target_though_its_name_stays,
            setup_over_proc, teardown),
        TEST(orphan__stays_with_the_target_by_the_kernels_record),
        TEST(children__of_a_target_belong_to_it_from_their_birth),
        TEST(leader__that_exited_first_counts_until_its_threads_end),
        TEST(zombie__is_not_found),
        TEST(storm__of_births_costs_nothing_when_it_is_over),
        TEST(storm__that_loses_records_is_made_good),
        TEST(ourselves__may_be_a_target),
    };

    return cmocka_run_group_tests_name("process_live", tests, NULL, NULL);
}
