/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "target/process_fixture.h"

#include "support/child.h"

/*
 * Processes get the same number again and again, in a PID namespace in which the test says which
 * number the kernel gives next. Births follow each other faster than the clock ticks of
 * /proc/PID/stat, so a start time does not tell one process from the next.
 */

#define REBIRTHS 1000
#define NUMBER   5000

static struct fixture fixture;
static bool has_namespace;

static int setup(void **state)
{
    int procfs_fd = has_namespace ? open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    fixture = (struct fixture){.tree.fd = -1};
    *state = &fixture;
    if (procfs_fd < 0)
        return 0;
    fixture_begin(&fixture, procfs_fd, &roomy);
    fixture_add_rule(&fixture, "family", "pmut_parent", true);
    fixture_add_rule(&fixture, "{{.Comm}}", "pmut_a", false);
    return 0;
}

static int setup_scanning(void **state)
{
    int r = setup(state);

    if (fixture.set)
        fixture.set->is_ours = false; /* as if the kernel permitted no records */
    return r;
}

static int teardown(void **state)
{
    (void)state;
    if (!fixture.set)
        return 0;
    (void)kill(NUMBER, SIGKILL); /* a failed test may have left it behind */
    (void)waitpid(NUMBER, NULL, 0);
    fixture_end(&fixture);
    return close(fixture.procfs_fd);
}

static void need_namespace(void)
{
    if (has_namespace)
        return;
    print_message("skipped: no PID namespace of our own here (CAP_SYS_ADMIN)\n");
    skip();
}

static void release_all(void)
{
    for (size_t i = 0; i < fixture.changes.n_gone; i++)
        process_targets_release(fixture.set, fixture.changes.gone[i]);
    fixture.changes.n_gone = 0;
}

static void first_update(void)
{
    fixture_update(&fixture);
    if (fixture.set->is_ours && !process_targets_census(fixture.set)->watching) {
        print_message("skipped: no system-wide perf events here (CAP_PERFMON)\n");
        skip();
    }
    release_all();
}

static bool choose_number(pid_t pid)
{
    int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
    char text[16];
    int n = snprintf(text, sizeof(text), "%d", pid - 1);
    bool chosen = fd >= 0 && write(fd, text, (size_t)n) == n;

    (void)close(fd);
    return chosen;
}

/*
 * Starts a child of this number that keeps our name, so that nothing but its birth tells of it.
 * False if there was none to be had. There is no assertion here, because a child of ours must not
 * make one.
 */
static bool bear_quietly(pid_t number)
{
    pid_t pid = choose_number(number) ? fork() : -1;

    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            (void)pause();
    }
    return pid == number;
}

static void bear(pid_t number)
{
    assert_true(bear_quietly(number));
}

static void name_ourselves(const char *name)
{
    assert_int_equal(prctl(PR_SET_NAME, name), 0);
}

/*
 * If the kernel tells of births, all of /proc is read only after lost records, of which processes
 * of other tests cause some, and once a minute, which is put off here.
 */
static void update_without_scan(void)
{
    const struct process_census *census = process_targets_census(fixture.set);
    const struct process_census before = *census;

    fixture.set->last_scan_ns = clock_monotonic_ns();
    fixture_update(&fixture);
    if (fixture.set->is_ours && census->losses == before.losses)
        assert_int_equal(census->rescans, before.rescans);
}

static void number__used_again_at_once_is_another_target_each_time(void **state)
{
    struct process_target *target = NULL;
    int n_same_tick = 0;

    (void)state;
    need_namespace();
    name_ourselves("pmut_a");
    first_update();
    for (int i = 0; i < REBIRTHS; i++) {
        uint64_t before = target ? target->start_ticks : 0;

        bear(NUMBER);
        update_without_scan();
        assert_changes(&fixture, 1, target ? 1 : 0);
        if (target)
            assert_ptr_equal(gone(&fixture, NUMBER), target);
        target = born(&fixture, NUMBER);
        assert_non_null(target);
        assert_true(process_target_lives(target));
        n_same_tick += target->start_ticks == before;
        release_all();
        child_end(NUMBER);
        assert_false(process_target_lives(target));
    }
    print_message("%d of %d within the clock tick of the one before, %" PRIu64 " losses\n",
                  n_same_tick, REBIRTHS, losses(&fixture));
    fixture_update(&fixture);
    assert_changes(&fixture, 0, 1);
    release_all();
    assert_int_equal(process_targets_census(fixture.set)->standing, 1); /* ourselves */
}

static void number__used_several_times_since_the_last_look_is_one_target(void **state)
{
    struct process_target *target = NULL;

    (void)state;
    need_namespace();
    name_ourselves("pmut_a");
    first_update();
    for (int i = 0; i < REBIRTHS / 10; i++) {
        for (int j = 0; j < 4; j++) {
            bear(NUMBER);
            child_end(NUMBER);
        }
        bear(NUMBER);
        fixture_update(&fixture);
        assert_changes(&fixture, 1, target ? 1 : 0);
        target = born(&fixture, NUMBER);
        assert_non_null(target);
        release_all();
        child_end(NUMBER);
    }
    fixture_update(&fixture);
    release_all();
}

struct pipes {
    int wish[2], done[2];
};

/* Starts a child with the number NUMBER, or ends it, on command. */
static void run_parent(const void *argument, int ready)
{
    const struct pipes *pipes = argument;
    char wish;

    name_ourselves("pmut_parent");
    (void)!write(ready, "r", 1);
    while (read(pipes->wish[0], &wish, 1) == 1) {
        bool done = wish == 'b' ? bear_quietly(NUMBER)
                                : kill(NUMBER, SIGKILL) == 0 && waitpid(NUMBER, NULL, 0) == NUMBER;

        (void)!write(pipes->done[1], done ? "d" : "f", 1);
    }
}

static void ask(const struct pipes *pipes, char wish)
{
    char done;

    assert_int_equal(write(pipes->wish[1], &wish, 1), 1);
    assert_int_equal(read(pipes->done[0], &done, 1), 1);
    assert_int_equal(done, 'd');
}

static bool has_thread(const struct process_target *target, pid_t thread)
{
    AUTO_FREE pid_t *threads = NULL;
    bool found = false;
    size_t n;

    assert_int_equal(process_targets_threads(fixture.set, target, &threads, &n), 0);
    for (size_t i = 0; i < n; i++)
        found |= threads[i] == thread;
    return found;
}

/*
 * One attempt. Returns whether there was a record of everything. If not, the attempt is only
 * brought to its end: by /proc alone, nobody can tell processes of the same number and clock tick
 * apart.
 */
static bool stranger_gets_the_number(const struct pipes *pipes, struct process_target *family)
{
    uint64_t before = losses(&fixture);
    struct process_target *stranger;

    ask(pipes, 'b');
    fixture_update(&fixture);
    if (losses(&fixture) == before) {
        assert_changes(&fixture, 0, 0);
        assert_int_equal(family->n_members, 2);
        assert_true(has_thread(family, NUMBER));
    }
    ask(pipes, 'e');
    bear(NUMBER);
    fixture_update(&fixture);
    if (losses(&fixture) == before) {
        assert_changes(&fixture, 1, 0);
        stranger = born(&fixture, NUMBER);
        assert_non_null(stranger);
        assert_int_equal(family->n_members, 1);
        assert_false(has_thread(family, NUMBER));
    }
    child_end(NUMBER);
    fixture_update(&fixture);
    if (losses(&fixture) == before)
        assert_changes(&fixture, 0, 1);
    release_all();
    return losses(&fixture) == before;
}

static void number__of_a_descendant_that_a_stranger_gets_is_the_strangers(void **state)
{
    struct process_target *family;
    struct pipes pipes;
    int n_told = 0;
    pid_t parent;

    (void)state;
    need_namespace();
    name_ourselves("pmut_a");
    assert_int_equal(pipe2(pipes.wish, O_CLOEXEC) | pipe2(pipes.done, O_CLOEXEC), 0);
    parent = child_new(run_parent, &pipes);
    first_update();
    family = born(&fixture, parent);
    assert_non_null(family);
    for (int i = 0; i < REBIRTHS && n_told < REBIRTHS / 10; i++)
        n_told += stranger_gets_the_number(&pipes, family);
    print_message("%d times without a loss\n", n_told);
    child_end(parent);
    fixture_update(&fixture);
    assert_changes(&fixture, 0, 1);
    release_all();
    for (int i = 0; i < 2; i++) {
        (void)close(pipes.wish[i]);
        (void)close(pipes.done[i]);
    }
    if (n_told == 0) {
        print_message("skipped: so busy is this machine that records were lost each time\n");
        skip();
    }
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
#define WATCHING(name) {#name ", watching", name, setup, teardown, NULL}
#define SCANNING(name)                                                                             \
    {                                                                                              \
#name ", scanning", name, setup_scanning, teardown, NULL                                   \
    }
        WATCHING(number__used_again_at_once_is_another_target_each_time),
        SCANNING(number__used_again_at_once_is_another_target_each_time),
        WATCHING(number__used_several_times_since_the_last_look_is_one_target),
        SCANNING(number__used_several_times_since_the_last_look_is_one_target),
        WATCHING(number__of_a_descendant_that_a_stranger_gets_is_the_strangers),
    };

    return cmocka_run_group_tests_name("process_reuse", tests, NULL, NULL);
}

int main(void)
{
    int status;
    pid_t pid;

    if (unshare(CLONE_NEWPID | CLONE_NEWNS) < 0)
        return run_all();
    pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        /* only /proc is mounted: "/" is no mount point in a chroot */
        has_namespace = mount(NULL, "/proc", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
                        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0;
        exit(run_all());
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        status = EXIT_FAILURE << 8;
    _exit(WEXITSTATUS(status)); /* exit() would start LeakSanitizer, which needs a thread that it
                                   cannot have any more */
}
