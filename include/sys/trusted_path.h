/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Opens a file that tells a program with rights what to do, and tells who else than root and our
 * own user has a say in what it is.
 */

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

enum path_say {
    PATH_SAY_NOBODY,
    PATH_SAY_USER,  /* the owner */
    PATH_SAY_GROUP, /* may write */
    PATH_SAY_ALL,   /* may write */
};

/* The first file or directory on the way in which somebody else has a say. */
struct path_doubt {
    enum path_say who;
    unsigned id;         /* of the user, or of the group */
    bool is_link;        /* a symbolic link, which was not followed */
    char path[PATH_MAX]; /* as far as the way had been gone */
};

/*
 * Opens a path for reading, without waiting. Symbolic links are followed, the last one too, where
 * root or our own user made them. 0, and somebody else may still be able to write (ret_doubt);
 * -EPERM: a symbolic link of somebody else (ret_doubt); -errno. ret_doubt is written in each case.
 */
int trusted_path_open(const char *path, int *ret_fd, struct path_doubt *ret_doubt);
