/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Opens a file that says what a privileged program does, and finds out whether anybody but root and
 * our own user can change which file that is or what is in it.
 */

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Who else can change a file or directory. */
enum path_say {
    PATH_SAY_NOBODY,
    PATH_SAY_USER,  /* its owner, who is another user */
    PATH_SAY_GROUP, /* a group, which may write */
    PATH_SAY_ALL,   /* everybody may write */
};

/* The first file or directory on the way that somebody else can change. */
struct path_doubt {
    enum path_say who;
    unsigned id;         /* of the user, or of the group */
    bool is_link;        /* it is a symbolic link, which was not followed */
    char path[PATH_MAX]; /* the file or directory */
};

/*
 * Opens a path for reading, without waiting (a FIFO does not block it). Symbolic links are
 * followed, also the last one, if root or our own user made them. 0, where *ret_doubt may say that
 * somebody else can change the file; -EPERM: a symbolic link of somebody else, which *ret_doubt
 * names; -EXDEV: a link of /proc to what another process sees ("/proc/7/root"), which is not where
 * its text leads to for us; -errno. *ret_doubt is always written.
 */
int trusted_path_open(const char *path, int *ret_fd, struct path_doubt *ret_doubt);
