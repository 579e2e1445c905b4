/* SPDX-License-Identifier: Apache-2.0 */

/*
 * This process reads no file itself. It outlives its workers, so it may know nothing of what they
 * have read but how they ended. While a worker is at work it watches the socket too: the service
 * may go.
 */
#include "reader/reader_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "reader/walls_additions.h"
#include "sys/privileges.h"

/* Who is killed has ended after so long, unless the kernel waits for something in his place. */
#define KILLED_MS        2000
#define MOST_LEFT_BEHIND 16

/*
 * Signals that are sent to all processes of a terminal or of a service are for the service, which
 * tells us by closing the socket; if we were stopped, it would wait for our answer.
 */
static void settle_signals(void)
{
    static const int ignored[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,
                                  SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU};
    sigset_t none;

    for (int i = 1; i < NSIG; i++)
        (void)signal(i, SIG_DFL);
    for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
        (void)signal(ignored[i], SIG_IGN);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Keeps the socket, and nothing that the service has open. */
static bool settle_descriptors(int socket)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int n = walls_keep_errors ? READER_SOCKET - 1 : READER_SOCKET;

    if (null < 0 || (socket != READER_SOCKET && dup2(socket, READER_SOCKET) < 0))
        return false;
    for (int fd = 0; fd < n; fd++)
        if (dup2(null, fd) < 0)
            return false;
    return close_range(READER_SOCKET + 1, ~0U, 0) == 0;
}

/*
 * Capabilities that we may not give up are of no use to workers, which may make no call that asks
 * for one. The kernel may forget the signal of a parent's death when rights change, so it comes
 * last.
 */
static bool settle(int socket, const char *name)
{
    char thread[16];
    int r;

    settle_signals();
    if (!settle_descriptors(socket))
        return false;
    r = privileges_drop();
    if (r < 0 && r != -EPERM)
        return false;
    (void)snprintf(thread, sizeof(thread), "%s_reader", name);
    (void)prctl(PR_SET_NAME, thread);
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
}

struct descriptors {
    int fds[READER_DESCRIPTORS_MOST];
    size_t n;
};

static void descriptors_done(struct descriptors *descriptors)
{
    for (size_t i = 0; i < descriptors->n; i++)
        (void)close(descriptors->fds[i]);
    descriptors->n = 0;
}

static void take_descriptors(struct msghdr *message, struct descriptors *descriptors)
{
    const struct cmsghdr *control = CMSG_FIRSTHDR(message);

    descriptors->n = 0;
    if (!control || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS)
        return;
    descriptors->n = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(descriptors->fds, CMSG_DATA(control), descriptors->n * sizeof(int));
}

/* False: the service has closed its end. */
static bool receive(struct reader_request *request, struct descriptors *descriptors)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(READER_DESCRIPTORS_MOST * sizeof(int))];
    } control;
    struct iovec bytes = {request, sizeof(*request)};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    const ssize_t n = TEMP_FAILURE_RETRY(recvmsg(READER_SOCKET, &message, MSG_CMSG_CLOEXEC));

    if (n <= 0)
        return false;
    take_descriptors(&message, descriptors);
    return n == (ssize_t)sizeof(*request);
}

/* Sorts descriptors to their places. False: some are missing. */
static bool place_descriptors(const struct reader_request *request,
                              const struct descriptors *descriptors, int places[])
{
    size_t next = READER_STARTS;

    if (descriptors->n != 2U + (request->n_starts > 0) + (request->has_debug > 0))
        return false;
    places[READER_FILE] = descriptors->fds[READER_FILE];
    places[READER_OUTPUT] = descriptors->fds[READER_OUTPUT];
    places[READER_STARTS] = request->n_starts > 0 ? descriptors->fds[next++] : -1;
    places[READER_DEBUG] = request->has_debug ? descriptors->fds[next] : -1;
    return true;
}

/* Waits for the end of a worker. False: it was not there in time, or nobody waits any more. */
static bool wait_for_end(int worker, unsigned wall_ms)
{
    const uint64_t end_ns = clock_monotonic_ns() + wall_ms * NS_PER_MS;
    struct pollfd ends[] = {{.fd = worker, .events = POLLIN},
                            {.fd = READER_SOCKET, .events = POLLIN}};
    int n;

    do {
        const uint64_t now_ns = clock_monotonic_ns();

        n = now_ns < end_ns ? poll(ends, 2, (int)((end_ns - now_ns) / NS_PER_MS) + 1) : 0;
    } while (n < 0 && errno == EINTR);
    return n > 0 && ends[0].revents != 0;
}

/*
 * Workers that do not end although they were killed: they read a file for which the kernel waits,
 * of a file system whose server does not answer. They are left behind, and taken when they have
 * ended.
 */
static unsigned n_left_behind;

static void take_left_behind(void)
{
    while (n_left_behind > 0 && waitpid(-1, NULL, WNOHANG) > 0)
        n_left_behind--;
}

static struct reader_reply follow(pid_t pid, unsigned wall_ms)
{
    AUTO_CLOSE const int worker = pidfd_open(pid, 0);
    const bool was_late = worker < 0 || !wait_for_end(worker, wall_ms);
    struct rusage usage = {0};
    int status = 0;

    if (was_late)
        (void)kill(pid, SIGKILL);
    if (was_late && worker >= 0 && !wait_for_end(worker, KILLED_MS)) {
        n_left_behind++;
        return (struct reader_reply){.outcome = OBJECT_TOO_SLOW};
    }
    if (TEMP_FAILURE_RETRY(wait4(pid, &status, 0, &usage)) != pid || worker < 0)
        return (struct reader_reply){.outcome = OBJECT_FAILED};
    return (struct reader_reply){
        .outcome = reader_worker_outcome(status, was_late),
        .cpu_ns = timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime),
    };
}

static struct reader_reply answer(const struct reader_work *work,
                                  const struct reader_request *request,
                                  const struct descriptors *descriptors)
{
    const struct reader_reply failed = {.outcome = OBJECT_FAILED};
    int places[READER_DESCRIPTORS_MOST];
    pid_t pid;

    take_left_behind();
    if (n_left_behind >= MOST_LEFT_BEHIND || request->n_starts > OBJECT_JOB_STARTS_MOST ||
        !place_descriptors(request, descriptors, places))
        return failed;
    pid = reader_worker_fork(work, request, places);
    return pid > 0 ? follow(pid, work->limits.wall_ms) : failed;
}

void reader_process_run(int socket, const struct reader_work *work)
{
    struct reader_request request;
    struct descriptors descriptors;

    if (!settle(socket, work->name))
        _exit(EXIT_FAILURE);
    while (receive(&request, &descriptors)) {
        const struct reader_reply reply = answer(work, &request, &descriptors);

        descriptors_done(&descriptors);
        if (send(READER_SOCKET, &reply, sizeof(reply), MSG_NOSIGNAL) != (ssize_t)sizeof(reply))
            break;
    }
    _exit(EXIT_SUCCESS);
}
