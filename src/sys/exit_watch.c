/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/exit_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "sys/descriptors.h"

struct exit_watch {
    int epoll_fd;
};

int exit_watch_new(struct exit_watch **ret_watch)
{
    struct exit_watch *watch = malloc(sizeof(*watch));

    if (!watch)
        return -ENOMEM;
    watch->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (watch->epoll_fd < 0) {
        int r = -errno;

        free(watch);
        return r;
    }
    *ret_watch = watch;
    return 0;
}

struct exit_watch *exit_watch_free(struct exit_watch *watch)
{
    if (watch)
        (void)close(watch->epoll_fd);
    free(watch);
    return NULL;
}

int exit_watch_add(struct exit_watch *watch, pid_t pid, void *owner, int *ret_fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = owner};
    AUTO_CLOSE int fd = (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by itself */

    fd = descriptor_lift(fd < 0 ? -errno : fd);
    if (fd < 0)
        return fd;
    if (epoll_ctl(watch->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
        return -errno;
    *ret_fd = TAKE_FD(fd);
    return 0;
}

int exit_watch_remove(struct exit_watch *watch, int fd)
{
    if (fd >= 0) {
        /* to close it is not enough while somebody else has a copy of the descriptor (epoll(7)) */
        (void)epoll_ctl(watch->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
        (void)close(fd);
    }
    return -1;
}

void *exit_watch_next(struct exit_watch *watch)
{
    struct epoll_event event;

    if (TEMP_FAILURE_RETRY(epoll_wait(watch->epoll_fd, &event, 1, 0)) != 1)
        return NULL;
    return event.data.ptr;
}

bool exit_watch_has_ended(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

    return TEMP_FAILURE_RETRY(poll(&poll_fd, 1, 0)) == 1;
}
