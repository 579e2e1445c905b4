/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/directory_watch.h"

#include <errno.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>

/*
 * The directory of a removed cgroup keeps its link count, and so the kernel does not always report
 * the end of a watched directory itself. The caller ends the watch when the event of the parent
 * says that the directory has gone.
 */
#define BORN_MASK (IN_CREATE | IN_MOVED_TO)
#define GONE_MASK (IN_DELETE | IN_MOVED_FROM)

/* Room for hundreds of usual events, and for a name of any length that a kernel passes. */
#define BUFFER_SIZE (64 * 1024)

struct directory_watch {
    int fd;
    size_t offset, length; /* the events in the buffer that were not given yet */
    alignas(struct inotify_event) char buffer[BUFFER_SIZE];
};

int directory_watch_new(struct directory_watch **ret_watch)
{
    AUTO(directory_watch) struct directory_watch *watch = malloc(sizeof(*watch));

    if (!watch)
        return -ENOMEM;
    watch->offset = watch->length = 0;
    watch->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (watch->fd < 0)
        return -errno;
    *ret_watch = TAKE(watch);
    return 0;
}

struct directory_watch *directory_watch_free(struct directory_watch *watch)
{
    if (watch && watch->fd >= 0)
        (void)close(watch->fd);
    free(watch);
    return NULL;
}

int directory_watch_add(struct directory_watch *watch, int directory_fd, int *ret_id)
{
    char path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
    int id;

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", directory_fd);
    id = inotify_add_watch(watch->fd, path, BORN_MASK | GONE_MASK | IN_ONLYDIR);
    if (id < 0 && (errno == ENOSPC || errno == ENOMEM))
        return DIRECTORY_WATCH_LIMIT;
    /* the link in /proc leads to a removed directory, too: ENOENT means that /proc is missing */
    if (id < 0 && (errno == EACCES || errno == ENOTDIR))
        return DIRECTORY_WATCH_GONE;
    if (id < 0)
        return -errno;
    *ret_id = id;
    return DIRECTORY_WATCH_ADDED;
}

void directory_watch_remove(struct directory_watch *watch, int id)
{
    (void)inotify_rm_watch(watch->fd, id);
}

/* Makes an event of what the kernel gives. False: it is of no interest. */
static bool translate(const struct inotify_event *raw, struct directory_event *ret_event)
{
    if (raw->mask & IN_Q_OVERFLOW)
        *ret_event = (struct directory_event){.kind = DIRECTORY_EVENT_OVERFLOW, .id = -1};
    else if (raw->mask & IN_IGNORED)
        *ret_event = (struct directory_event){.kind = DIRECTORY_EVENT_ENDED, .id = raw->wd};
    else if ((raw->mask & IN_ISDIR) && (raw->mask & (BORN_MASK | GONE_MASK)) && raw->len > 0)
        *ret_event = (struct directory_event){
            .kind = raw->mask & BORN_MASK ? DIRECTORY_EVENT_BORN : DIRECTORY_EVENT_GONE,
            .id = raw->wd,
            .name = raw->name,
        };
    else
        return false;
    return true;
}

/* Reads events into the buffer. 1; 0: there are none now; -errno. */
static int read_events(struct directory_watch *watch)
{
    ssize_t n;

    do
        n = read(watch->fd, watch->buffer, sizeof(watch->buffer));
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EAGAIN ? 0 : -errno;
    watch->offset = 0;
    watch->length = (size_t)n;
    return n > 0;
}

int directory_watch_next(struct directory_watch *watch, struct directory_event *ret_event)
{
    for (;;) {
        const struct inotify_event *raw;

        if (watch->offset >= watch->length) {
            int r = read_events(watch);

            if (r <= 0)
                return r;
        }
        raw = (const struct inotify_event *)(const void *)(watch->buffer + watch->offset);
        watch->offset += sizeof(*raw) + raw->len;
        if (translate(raw, ret_event))
            return 1;
    }
}

int directory_watch_fd(const struct directory_watch *watch)
{
    return watch->fd;
}

bool directory_watch_is_pending(const struct directory_watch *watch)
{
    return watch->offset < watch->length;
}
