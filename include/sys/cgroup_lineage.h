/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A cgroup, by its id and the ids of all cgroups that contain it. The kernel gives no id twice. */

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct cgroup_lineage {
    size_t n;       /* at least 1 */
    uint64_t ids[]; /* the root of the mount first, the cgroup itself last */
};

/*
 * Reads the lineage of an open cgroup directory, also if that has been removed meanwhile. 0;
 * -ENAMETOOLONG: the cgroup is nested deeper than a path can be long; -errno.
 */
int cgroup_lineage_read(int directory_fd, struct cgroup_lineage **ret_lineage);
struct cgroup_lineage *cgroup_lineage_free(struct cgroup_lineage *lineage);
DEFINE_AUTO(cgroup_lineage, struct cgroup_lineage *, cgroup_lineage_free)

static inline uint64_t cgroup_lineage_id(const struct cgroup_lineage *lineage)
{
    return lineage->ids[lineage->n - 1];
}
