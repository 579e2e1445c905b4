/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Paths name by name, for who opens each directory on the way, and decides about links. */

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/types.h>

/*
 * Takes the first name off a path, which moves on to the next one. Returns its length; 0: there is
 * none; -ENAMETOOLONG.
 */
static inline ssize_t path_take_name(const char **path, char ret_name[static NAME_MAX + 1])
{
    const char *name = *path + strspn(*path, "/");
    const size_t n = strcspn(name, "/");

    if (n > NAME_MAX)
        return -ENAMETOOLONG;
    memcpy(ret_name, name, n);
    ret_name[n] = '\0';
    *path = name + n + strspn(name + n, "/");
    return (ssize_t)n;
}
