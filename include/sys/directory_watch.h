/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Births and deaths of the directories below watched directories (inotify).
 * Directories are added by descriptor, never by path, so that what is watched is
 * what was opened. Not thread-safe.
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
    DIRECTORY_EVENT_ENDED,    /* the watched directory itself went: its id means nothing now */
    DIRECTORY_EVENT_OVERFLOW, /* events were lost: only a look at all directories tells */
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
 * Watches the directory that `directory_fd` is open on; the descriptor may be
 * closed after. Adding one again returns the id that it has. An outcome, or
 * -errno where /proc/self/fd is not there.
 */
int directory_watch_add(struct directory_watch *watch, int directory_fd, int *ret_id);

/* Ends a watch, which also lets go of the directory. An unknown id is ignored. */
void directory_watch_remove(struct directory_watch *watch, int id);

/*
 * The next event about a directory, without waiting. 1, 0: there is none now
 * (one read where nothing happened), or -errno.
 */
int directory_watch_next(struct directory_watch *watch, struct directory_event *ret_event);

/* Readable when there are events that have not been read; for an event loop. Borrowed. */
int directory_watch_fd(const struct directory_watch *watch);

/* Whether events have been read and not been told yet: the descriptor does not show these. */
bool directory_watch_is_pending(const struct directory_watch *watch);
