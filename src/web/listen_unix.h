/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A listening Unix socket with a place in the file system, for its owner alone. */

#include <stdbool.h>
#include <sys/types.h>

struct unix_place {
    char *path;
    dev_t device; /* of the socket's file, by which ours is known */
    ino_t inode;
    bool made_directory; /* ours to remove with it */
};

/*
 * Listens there, with mode 0600, non-blocking and closed on exec. The directory is made
 * where it does not exist (its parent must). What a dead process has left in the place
 * is replaced, nothing else is.
 *
 * 0; -EADDRINUSE: a living process listens there; -EEXIST: what stands there is no
 * socket; -ENAMETOOLONG: more than sockaddr_un holds; -ENOENT, -EACCES, -EROFS, … from
 * mkdir(2) and bind(2); -ENOMEM.
 */
int listen_unix_open(const char *path, struct unix_place *ret_place, int *ret_fd);

/*
 * Removes the socket's file, unless another one stands in its place, and the directory
 * that was made for it, if it is empty. Before the socket is closed, which keeps the
 * inode from being that of another file.
 */
void unix_place_done(struct unix_place *place);
