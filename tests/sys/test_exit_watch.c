/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/child.h"
#include "sys/exit_watch.h"

static bool missing;

static int setup(void **state)
{
    struct exit_watch *watch;
    int fd;

    if (exit_watch_new(&watch) < 0)
        return -1;
    missing = exit_watch_add(watch, getpid(), NULL, &fd) == -ENOSYS;
    if (!missing)
        (void)exit_watch_remove(watch, fd);
    *state = watch;
    return 0;
}

static int teardown(void **state)
{
    (void)exit_watch_free(*state);
    return 0;
}

/* Skips with the reason where the kernel has no pidfd. */
static void need_pidfd(void)
{
    if (missing) {
        print_message("skipped: this kernel has no pidfd_open\n");
        skip();
    }
}

static void watch__tells_who_ended_until_it_is_removed(void **state)
{
    struct exit_watch *watch = *state;
    int here, other, fd, other_fd;
    pid_t pid, other_pid;

    need_pidfd();
    pid = child_named("first");
    other_pid = child_named("second");
    assert_int_equal(exit_watch_add(watch, pid, &here, &fd), 0);
    assert_int_equal(exit_watch_add(watch, other_pid, &other, &other_fd), 0);
    assert_null(exit_watch_next(watch));
    assert_false(exit_watch_has_ended(fd));
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0); /* a zombie now */
    assert_ptr_equal(exit_watch_next(watch), &here);
    assert_ptr_equal(exit_watch_next(watch), &here);
    assert_true(exit_watch_has_ended(fd));
    assert_false(exit_watch_has_ended(other_fd));
    assert_int_equal(exit_watch_remove(watch, fd), -1);
    assert_null(exit_watch_next(watch));
    assert_true(waitpid(pid, NULL, 0) == pid);
    assert_int_equal(exit_watch_remove(watch, other_fd), -1);
    child_end(other_pid);
    assert_null(exit_watch_next(watch));
    assert_int_equal(exit_watch_remove(watch, -1), -1);
}

static void watch__of_one_that_is_not_there_says_so(void **state)
{
    struct exit_watch *watch = *state;
    int fd = -7;
    pid_t pid;

    need_pidfd();
    pid = child_named("gone");
    child_end(pid);
    assert_int_equal(exit_watch_add(watch, pid, NULL, &fd), -ESRCH);
    assert_int_equal(fd, -7);
}

static void *outlive(void *ready)
{
    child_wait("outliving", *(const int *)ready);
    return NULL;
}

static void run_leader_that_exits(const void *argument, int ready)
{
    static int fd;
    pthread_t thread;

    (void)argument;
    fd = ready;
    if (pthread_create(&thread, NULL, outlive, &fd) == 0)
        pthread_exit(NULL);
}

static void watch__waits_for_the_last_thread(void **state)
{
    struct exit_watch *watch = *state;
    pid_t pid;
    int fd;

    need_pidfd();
    pid = child_new(run_leader_that_exits, NULL);
    assert_int_equal(exit_watch_add(watch, pid, watch, &fd), 0);
    assert_null(exit_watch_next(watch));
    child_end(pid);
    assert_ptr_equal(exit_watch_next(watch), watch);
    (void)exit_watch_remove(watch, fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(watch__tells_who_ended_until_it_is_removed),
        TEST(watch__of_one_that_is_not_there_says_so),
        TEST(watch__waits_for_the_last_thread),
    };

    return cmocka_run_group_tests_name("exit_watch", tests, NULL, NULL);
}
