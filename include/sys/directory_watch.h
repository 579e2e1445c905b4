/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Births and deaths of the directories in watched directories (inotify(7)). A directory is added by
 * its descriptor, never by a path, so that what is watched is what was opened. Not thread-safe.
 */

#include <stdbool.h>

#include "base/cleanup.h"

struct directory_watch;

enum directory_watch_outcome {
    DIRECTORY_WATCH_ADDED = 0,
    DIRECTORY_WATCH_LIMIT, /* fs.inotify.max_user_watches, or kernel memory, is used up */
    DIRECTORY_WATCH_GONE,  /* the directory was removed, or may not be read */
};

enum directory_event_kind {
    DIRECTORY_EVENT_BORN,     /* `name` was made in, or moved into, the watched directory */
    DIRECTORY_EVENT_GONE,     /* `name` was removed from it, or moved away */
    DIRECTORY_EVENT_ENDED,    /* the watched directory itself was removed; its id is free again */
    DIRECTORY_EVENT_OVERFLOW, /* events were lost: look at all directories again */
};

struct directory_event {
    enum directory_event_kind kind;
    int id;           /* of the watched directory; -1 for OVERFLOW */
    const char *name; /* until the next call; NULL for ENDED and OVERFLOW */
};

/* 0; -EMFILE where fs.inotify.max_user_instances or descriptors are used up; -errno. */
int directory_watch_new(struct directory_watch **ret_watch);
struct directory_watch *directory_watch_free(struct directory_watch *watch);
DEFINE_AUTO(directory_watch, struct directory_watch *, directory_watch_free)

/*
 * Watches the directory that `directory_fd` is open on; the descriptor may be closed afterwards. If
 * the directory is watched already, its id is the same. Returns an outcome, or -errno where
 * /proc/self/fd is missing.
 */
int directory_watch_add(struct directory_watch *watch, int directory_fd, int *ret_id);

/* Ends a watch; the directory is no longer held. An unknown id is ignored. */
void directory_watch_remove(struct directory_watch *watch, int id);

/*
 * Gives the next event, without waiting. 1; 0: there is none now, which costs one read(2); -errno.
 */
int directory_watch_next(struct directory_watch *watch, struct directory_event *ret_event);

/* A descriptor for an event loop: it is readable while there are unread events. Borrowed. */
int directory_watch_fd(const struct directory_watch *watch);

/* Whether there are events that were read and not given yet; the descriptor does not show them. */
bool directory_watch_is_pending(const struct directory_watch *watch);
