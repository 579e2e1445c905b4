/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A Unix socket in the file system to listen on, which only its owner can connect to. */

#include <stdbool.h>
#include <sys/types.h>

struct unix_place {
    char *path;
    dev_t device; /* Device and inode tell our socket's file from another file at that path. */
    ino_t inode;
    bool made_directory; /* The directory was made for the socket, and is removed with it. */
};

/*
 * Listens on that path, with mode 0600, non-blocking and closed on exec. Makes the directory if it
 * does not exist; the parent of that has to. Replaces the socket that a dead process has left, and
 * nothing else.
 *
 * Returns 0; -EADDRINUSE: a living process listens there; -EEXIST: what stands there is no socket;
 * -ENAMETOOLONG: the path does not fit into sockaddr_un; -ENOENT, -EACCES, -EROFS, … from mkdir(2)
 * and bind(2); -ENOMEM.
 */
int listen_unix_open(const char *path, struct unix_place *ret_place, int *ret_fd);

/*
 * Removes the socket's file, unless another one stands in its place, and the directory that was
 * made for it, if it is empty. It is called before the socket is closed: as long as that is open,
 * no other file can get its inode.
 */
void unix_place_done(struct unix_place *place);
