/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whether a write waits is a property of the open file. Standard error mostly shares that file with
 * other processes, so it is not ours to change. Nor is the answer of poll(2) a promise, since the
 * others write too. So a pipe or a terminal is opened once more through /proc for each line, for us
 * alone, and to a socket the call says that it does not wait. Where neither can be done, the answer
 * of poll(2) has to do.
 */
#include "log/standard_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define LAST_STREAM 2 /* standard error */

static const int signals_of_writes[] = {SIGPIPE, SIGXFSZ, SIGTTOU};

/* Takes the lowest descriptor. Without /dev it is one to which each write fails. */
static void take_number(void)
{
    if (open("/dev/null", O_RDWR) < 0)
        (void)open("/", O_PATH);
}

void standard_streams_prepare(void)
{
    /* the order matters: open(2) takes the lowest number that is free */
    for (int fd = 0; fd <= LAST_STREAM; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            take_number();
    for (size_t i = 0; i < ARRAY_SIZE(signals_of_writes); i++)
        (void)signal(signals_of_writes[i], SIG_IGN);
}

/*
 * Opens the file of the stream once more, where a write to it could wait: this one does not. -1:
 * the stream itself is to be used.
 */
static int open_once_more(int fd, mode_t mode)
{
    char path[sizeof("/proc/self/fd/-2147483648")];

    if (!S_ISFIFO(mode) && !S_ISCHR(mode))
        return -1;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

ssize_t stream_write_at_once(int fd, const char *bytes, size_t length)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    AUTO_CLOSE int own = -1;
    struct stat status;
    ssize_t n;

    if (fstat(fd, &status) < 0)
        return -errno;
    if (poll(&room, 1, 0) != 1)
        return -EAGAIN;
    if (room.revents != POLLOUT)
        return -EPIPE;
    if (S_ISSOCK(status.st_mode)) {
        n = send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    } else {
        own = open_once_more(fd, status.st_mode);
        n = write(own < 0 ? fd : own, bytes, length);
    }
    return n < 0 ? -errno : n;
}

static bool reader_has_gone(int fd)
{
    struct pollfd end = {.fd = fd, .events = POLLOUT};

    return poll(&end, 1, 0) == 1 && (end.revents & (POLLERR | POLLHUP)) != 0;
}

int stream_flush(FILE *stream)
{
    const bool failed_before = ferror(stream) != 0; /* its errno is no longer known */
    const int r = fflush(stream) < 0 ? -errno : 0;

    if ((r == 0 && !failed_before) || reader_has_gone(fileno(stream)))
        return 0;
    return r < 0 ? r : -EIO;
}
