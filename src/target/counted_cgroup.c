/* SPDX-License-Identifier: Apache-2.0 */

/* A counted cgroup: a target with the directory that perf_event_open() takes. */
#include <errno.h>

#include "base/clock.h"
#include "sys/cgroup_root.h"
#include "target/cgroup_set.h"

int counted_cgroup_new(const struct cgroup_node *node, const char *path, int fd, uint64_t inode,
                       struct counted_cgroup **ret_counted)
{
    AUTO(counted_cgroup) struct counted_cgroup *counted = calloc(1, sizeof(*counted));

    if (!counted)
        return -ENOMEM;
    counted->target = (struct cgroup_target){
        .path = strdup(path),
        .rule = node->rule,
        .tenant = node->subtree->number,
        .fd = -1,
        .inode = inode,
        .start_realtime_ns = clock_realtime_ns(),
        .created_realtime_ns = cgroup_created_realtime_ns(fd),
    };
    if (!counted->target.path || cgroup_identity_new(node, path, &counted->target.identity) < 0)
        return -ENOMEM;
    counted->target.fd = fd;
    *ret_counted = TAKE(counted);
    return 0;
}

struct counted_cgroup *counted_cgroup_free(struct counted_cgroup *counted)
{
    if (!counted)
        return NULL;
    cgroup_target_close_fd(&counted->target);
    counted->target.identity = identity_unref(counted->target.identity);
    counted->named = named_target_release(counted->named);
    counted->known = known_names_unref(counted->known);
    free(counted->target.path);
    free(counted);
    return NULL;
}

void cgroup_target_close_fd(struct cgroup_target *target)
{
    if (target->fd >= 0)
        (void)close(target->fd);
    target->fd = -1;
}
