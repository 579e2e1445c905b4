/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Signals that we ignore (standard_streams_prepare()) are not ignored by the command. */
static void restore(const struct workload_origin *origin)
{
    static const int numbers[] = {SIGPIPE, SIGXFSZ, SIGTTOU};

    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        (void)signal(numbers[i], SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &origin->mask, NULL);
    (void)setrlimit(RLIMIT_NOFILE, &origin->files);
}

static ssize_t read_retrying(int fd, void *bytes, size_t n)
{
    ssize_t r;

    do
        r = read(fd, bytes, n);
    while (r < 0 && errno == EINTR);
    return r;
}

/* What the child does. It ends without a word where nobody lets it go. */
static void __attribute__((noreturn))
run_child(char *const *command, const struct workload_origin *origin, int go_fd, int failure_fd)
{
    char go;
    int error;

    restore(origin);
    if (read_retrying(go_fd, &go, 1) != 1)
        _exit(EXIT_FAILURE);
    (void)execvp(command[0], command);
    error = errno;
    (void)!write(failure_fd, &error, sizeof(error));
    _exit(error == ENOENT ? 127 : 126);
}

int workload_prepare(char *const *command, const struct workload_origin *origin,
                     struct workload *ret_workload)
{
    AUTO_CLOSE int go_read = -1, go_write = -1, failure_read = -1, failure_write = -1;
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    go_read = ends[0];
    go_write = ends[1];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    failure_read = ends[0];
    failure_write = ends[1];
    pid = fork();
    if (pid < 0)
        return -errno;
    if (pid == 0) {
        (void)close(go_write); /* else it would wait for itself if we end */
        run_child(command, origin, go_read, failure_write);
    }
    *ret_workload = (struct workload){
        .pid = pid, .go_fd = TAKE_FD(go_write), .failure_fd = TAKE_FD(failure_read)};
    return 0;
}

static void close_both(struct workload *workload)
{
    if (workload->go_fd >= 0)
        (void)close(TAKE_FD(workload->go_fd));
    if (workload->failure_fd >= 0)
        (void)close(TAKE_FD(workload->failure_fd));
}

int workload_start(struct workload *workload)
{
    int error = 0;
    ssize_t n;

    if (write(workload->go_fd, "", 1) != 1) {
        close_both(workload);
        workload_wait(workload);
        return -ECANCELED;
    }
    /* The pipe ends with execve(2), which closes the child's end of it. */
    n = read_retrying(workload->failure_fd, &error, sizeof(error));
    close_both(workload);
    if (n != (ssize_t)sizeof(error))
        return 0;
    workload_wait(workload);
    return -error;
}

static void take_end(struct workload *workload, int options)
{
    pid_t r;

    if (workload->pid < 0 || workload->has_ended)
        return;
    do
        r = wait4(workload->pid, &workload->status, options, &workload->usage);
    while (r < 0 && errno == EINTR);
    workload->has_ended = r != 0;
}

void workload_look(struct workload *workload)
{
    take_end(workload, WNOHANG);
}

void workload_wait(struct workload *workload)
{
    take_end(workload, 0);
}

void workload_signal(const struct workload *workload, int signal)
{
    if (workload->pid > 0 && !workload->has_ended)
        (void)kill(workload->pid, signal);
}

int workload_exit_status(const struct workload *workload)
{
    if (WIFSIGNALED(workload->status))
        return 128 + WTERMSIG(workload->status);
    return WEXITSTATUS(workload->status);
}

void workload_done(struct workload *workload)
{
    close_both(workload);
    workload_wait(workload);
    workload->pid = -1;
}
