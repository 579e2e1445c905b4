/* SPDX-License-Identifier: Apache-2.0 */

/* The id of a cgroup is the inode number of its directory (kernfs_node.id, 64-bit kernels). */
#include "sys/cgroup_lineage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_LEVELS ((PATH_MAX - 1) / 3) /* so often "../" fits into a path */

/* Above the root of the mount there is another file system, or the same directory again. */
static bool is_above(const struct stat *directory, const struct stat *below)
{
    return directory->st_dev == below->st_dev && directory->st_ino != below->st_ino;
}

/* Writes the ids, that of the cgroup first. Returns how many there are, or -errno. */
static int climb(int directory_fd, uint64_t *ret_ids)
{
    char path[3 * MOST_LEVELS + 1] = "";
    struct stat here, above;

    if (fstat(directory_fd, &here) < 0)
        return -errno;
    for (int n = 0; n < MOST_LEVELS; n++) {
        ret_ids[n] = here.st_ino;
        memcpy(path + 3 * (size_t)n, "../", sizeof("../"));
        if (fstatat(directory_fd, path, &above, 0) < 0)
            return -errno;
        if (!is_above(&above, &here))
            return n + 1;
        here = above;
    }
    return -ENAMETOOLONG;
}

int cgroup_lineage_read(int directory_fd, struct cgroup_lineage **ret_lineage)
{
    uint64_t ids[MOST_LEVELS];
    struct cgroup_lineage *lineage;
    int n = climb(directory_fd, ids);

    if (n < 0)
        return n;
    lineage = malloc(sizeof(*lineage) + (size_t)n * sizeof(*ids));
    if (!lineage)
        return -ENOMEM;
    lineage->n = (size_t)n;
    for (size_t i = 0; i < lineage->n; i++)
        lineage->ids[i] = ids[lineage->n - 1 - i];
    *ret_lineage = lineage;
    return 0;
}

struct cgroup_lineage *cgroup_lineage_free(struct cgroup_lineage *lineage)
{
    free(lineage);
    return NULL;
}
