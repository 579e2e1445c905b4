/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whether a write waits is a property of the open file, which standard error mostly shares with
 * others: it is not ours to change, and what poll(2) says is no promise, since they write too. So
 * a pipe or a terminal is opened once more through /proc for each line, for us alone, and a
 * socket is told with the call. Where that cannot be done poll(2) is asked.
 */
#include "sys/standard_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static const int signals_of_writes[] = {SIGPIPE, SIGXFSZ, SIGTTOU};

/* In a root without /dev: the descriptor is taken, and each write to it fails. */
static void take_number(void)
{
    if (open("/dev/null", O_RDWR) < 0)
        (void)open("/", O_PATH);
}

void standard_streams_prepare(void)
{
    /* in this order, since open(2) takes the lowest number that is free */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            take_number();
    for (size_t i = 0; i < ARRAY_SIZE(signals_of_writes); i++)
        (void)signal(signals_of_writes[i], SIG_IGN);
}

/* Standard error for us alone, where a write would wait in it; -1: as it is. */
static int open_once_more(mode_t mode)
{
    if (!S_ISFIFO(mode) && !S_ISCHR(mode))
        return -1;
    return open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

ssize_t standard_error_write(const char *bytes, size_t length)
{
    struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};
    AUTO_CLOSE int own = -1;
    struct stat status;
    ssize_t n;

    if (fstat(STDERR_FILENO, &status) < 0)
        return -errno;
    if (poll(&room, 1, 0) != 1)
        return -EAGAIN;
    if (room.revents != POLLOUT)
        return -EPIPE;
    if (S_ISSOCK(status.st_mode)) {
        n = send(STDERR_FILENO, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    } else {
        own = open_once_more(status.st_mode);
        n = write(own < 0 ? STDERR_FILENO : own, bytes, length);
    }
    return n < 0 ? -errno : n;
}

static bool reader_has_gone(int fd)
{
    struct pollfd end = {.fd = fd, .events = POLLOUT};

    return poll(&end, 1, 0) == 1 && (end.revents & (POLLERR | POLLHUP)) != 0;
}

int standard_output_flush(void)
{
    const bool failed_before = ferror(stdout) != 0; /* and errno is that of something else now */
    const int r = fflush(stdout) < 0 ? -errno : 0;

    if ((r == 0 && !failed_before) || reader_has_gone(STDOUT_FILENO))
        return 0;
    return r < 0 ? r : -EIO;
}
