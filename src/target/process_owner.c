/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "target/process_set.h"

/*
 * An account is more than one user where it was given subordinate ids: for user
 * namespaces, in which its processes become these, and for files that they own, which
 * make such a process of whoever executes them. /etc/subuid tells whose they are, to
 * everybody. Who sees another /etc/subuid than the processes do, as in a container, or
 * none since a directory has the ids, still sees the map of the process' user namespace
 * (/proc/PID/uid_map, which too is everybody's): all users of one share with who is
 * root there, which as a rule is the account that made it.
 */

/*
 * The first line of a map begins with the lowest number that there is in the namespace, normally 0,
 * and goes on with who that is in ours. 0, root of ours or none: it tells nothing.
 */
static uid_t parse_root(const char *map)
{
    char *end, *second;
    unsigned long ours;

    (void)strtoul(map, &second, 10);
    if (second == map)
        return 0;
    ours = strtoul(second, &end, 10);
    return end != second && *end == ' ' && ours < UINT32_MAX ? (uid_t)ours : 0;
}

/* Who root of the process' user namespace is in ours; `uid` where that is ours, or unknown. */
static uid_t root_of_namespace(const struct process_targets *set, const struct process *process,
                               uid_t uid)
{
    char map[PROCESS_UID_MAP_SIZE];
    uid_t root;

    if (process_read_uid_map(process, map) < 0 || strcmp(map, set->own_uid_map) == 0)
        return uid;
    root = parse_root(map);
    return root ? root : uid;
}

uid_t process_owner_of(const struct process_targets *set, uid_t uid, const struct process *process)
{
    uid_t owner;

    if (uid == 0)
        return 0;
    owner = subordinate_ids_owner(set->owners, uid);
    if (owner != uid || !process)
        return owner;
    return subordinate_ids_owner(set->owners, root_of_namespace(set, process, uid));
}

void process_take_owner(const struct process_targets *set, struct process_node *node,
                        const struct process *process)
{
    uid_t uid = process_uid(process);

    if (node->user || (!node->unowned && node->start_ticks > 0 && node->effective_uid == uid))
        return; /* it is charged to the one it had, or nothing has changed */
    node->uid = process_owner_of(set, uid, process);
    node->effective_uid = uid;
    node->unowned = false;
}

void process_note_owner(const struct process_targets *set, struct process_node *node)
{
    uid_t uid;

    if (!node->unowned || process_read_uid(set->procfs_fd, node->pid, &uid) < 0)
        return;
    node->uid = process_owner_of(set, uid, NULL);
    node->unowned = false;
}
