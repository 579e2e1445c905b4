/* SPDX-License-Identifier: Apache-2.0 */

/* A counted process: a target with the descriptor that tells when its first process ends. */
#include <errno.h>

#include "target/process_set.h"

/*
 * Checks that the number still belongs to the process that the rules were asked about. The watch is
 * open by now, so it is of this process from here on. 0; -ESRCH; -ENOMEM.
 */
static int check_number(const struct process_targets *set, const struct process_node *node)
{
    AUTO(process) struct process *process = NULL;
    int r = process_open(set->procfs_fd, node->pid, &process);

    if (r == -ESRCH || r == -ENOMEM)
        return r;
    return r == 0 && process_stat(process)->start_ticks != node->start_ticks ? -ESRCH : 0;
}

/* Without a descriptor for it, the end is known by the kernel's records and /proc. 0 or -ESRCH. */
static int watch_exit(struct process_targets *set, struct counted_process *counted)
{
    int r = -ENOSYS;

    if (set->exits)
        r = exit_watch_add(set->exits, counted->target.pid, counted, &counted->exit_fd);
    if (r == -ESRCH)
        return r;
    return r == 0 ? check_number(set, counted->first) : 0;
}

int counted_process_new(struct process_targets *set, struct process_node *node, int rule,
                        char **group, struct counted_process **ret_counted)
{
    AUTO(counted_process) struct counted_process *counted = calloc(1, sizeof(*counted));
    int r;

    if (!counted)
        return -ENOMEM;
    counted->target = (struct process_target){
        .pid = node->pid,
        .start_ticks = node->start_ticks,
        .start_realtime_ns = process_start_realtime_ns(node->start_ticks),
        .rule = rule,
        .children = process_rules_with_children(set->rules, rule),
        .continues = node->was_target,
        .uid = node->uid,
        .group = TAKE(*group),
        .n_members = 1,
    };
    counted->set = set;
    counted->first = node;
    counted->exit_fd = -1;
    LIST_INIT(&counted->members);
    r = watch_exit(set, counted);
    if (r < 0)
        return r;
    *ret_counted = TAKE(counted);
    return 0;
}

struct counted_process *counted_process_free(struct counted_process *counted)
{
    if (counted) {
        if (counted->exit_fd >= 0)
            (void)exit_watch_remove(counted->set->exits, counted->exit_fd);
        free(counted->target.group);
    }
    free(counted);
    return NULL;
}
