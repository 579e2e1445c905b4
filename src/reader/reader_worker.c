/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/reader_worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "reader/reader_walls.h"

/* The outcome is told by the status, beyond those that libraries and sanitizers end with. */
#define FIRST_STATUS 64

static enum object_outcome judge(int r)
{
    if (r == -ENOMEM || r == -EFBIG)
        return OBJECT_TOO_LARGE;
    return r >= 0 && r < OBJECT_OUTCOME_COUNT_ ? (enum object_outcome)r : OBJECT_FAILED;
}

/* Reads the starts, which the service itself has written. */
static bool read_starts(int fd, size_t n, uint32_t *starts)
{
    const size_t size = n * sizeof(*starts);

    return n == 0 || pread(fd, starts, size, 0) == (ssize_t)size;
}

static int do_job(const struct reader_work *work, const struct reader_request *request,
                  const int descriptors[])
{
    AUTO_FREE uint32_t *starts = calloc((size_t)request->n_starts + 1, sizeof(*starts));
    const struct worker_job job = {
        .kind = (enum object_job_kind)request->kind,
        .fd = descriptors[READER_FILE],
        .debug_fd = request->has_debug ? descriptors[READER_DEBUG] : -1,
        .starts = starts,
        .n_starts = request->n_starts,
        .output = descriptors[READER_OUTPUT],
    };

    if (work->prepare)
        work->prepare(job.kind);
    if (!starts || !read_starts(descriptors[READER_STARTS], request->n_starts, starts) ||
        reader_walls_raise(&work->limits) < 0)
        return OBJECT_FAILED;
    return work->work(&job);
}

/*
 * The worker ends with who forked it; if that has ended meanwhile, nobody waits for the result. It
 * has no end of the socket, so that it cannot answer the service in the place of its parent.
 */
static void begin(pid_t parent, const char *name)
{
    char thread[16];

    (void)close(READER_SOCKET);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(FIRST_STATUS + OBJECT_FAILED);
    (void)snprintf(thread, sizeof(thread), "%s_worker", name);
    (void)prctl(PR_SET_NAME, thread);
}

pid_t reader_worker_fork(const struct reader_work *work, const struct reader_request *request,
                         const int descriptors[])
{
    const pid_t parent = getpid();
    const pid_t pid = fork();

    if (pid == 0) {
        begin(parent, work->name);
        _exit(FIRST_STATUS + (int)judge(do_job(work, request, descriptors)));
    }
    return pid < 0 ? -errno : pid;
}

enum object_outcome reader_worker_outcome(int status, bool was_late)
{
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) - FIRST_STATUS : -1;

    if (code >= 0 && code < OBJECT_OUTCOME_COUNT_)
        return (enum object_outcome)code;
    if (was_late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        return OBJECT_TOO_SLOW;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
        return OBJECT_TOO_LARGE;
    return OBJECT_KILLED;
}
