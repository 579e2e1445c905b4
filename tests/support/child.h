/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Processes that a test starts, and that end with it. To be included after cmocka.h. */

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a child: its name; then it tells its parent that it is ready, and waits to be killed. */
static inline void child_wait(const char *name, int ready)
{
    (void)prctl(PR_SET_NAME, name);
    (void)!write(ready, "r", 1);
    for (;;)
        (void)pause();
}

/* A child that does this with the descriptor on which it says that it is ready. */
static inline pid_t child_new(void (*run)(const void *argument, int ready), const void *argument)
{
    int ready[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        run(argument, ready[1]);
        _exit(0);
    }
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
    return pid;
}

static inline void child_run_named(const void *name, int ready)
{
    child_wait(name, ready);
}

static inline pid_t child_named(const char *name)
{
    return child_new(child_run_named, name);
}

static inline void child_end(pid_t pid)
{
    assert_true(pid > 1);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_true(waitpid(pid, NULL, 0) == pid);
}
