/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "target/process_set.h"

/*
 * Tenants share limits. A tenant is a user with an account on the machine, together with the users
 * that belong to it. An account may have subordinate ids, and these are users too: its processes
 * become such users inside user namespaces, and a set-uid file that such a user owns makes a
 * process of that user when somebody executes it. /etc/subuid says whose the subordinate ids are,
 * and everybody can read it.
 *
 * In a container we may see another /etc/subuid than the processes do, or none if a directory
 * service has the ids. Then the map of the process' user namespace still tells (/proc/PID/uid_map,
 * which everybody can read as well): all users of a namespace share with the user who is root
 * there, which as a rule is the tenant that made the namespace.
 */

/*
 * Parses who root of a namespace is. The first line of its map begins with the lowest user in the
 * namespace, normally 0, and goes on with the user that this is in ours. Returns 0 if the map does
 * not tell, or if it is our root.
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

/*
 * Who root of the process' user namespace is in our namespace. Returns `uid` if the process is in
 * our namespace, or if that is not known.
 */
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

/* The tenant that this user belongs to. process: one of this user, whose namespace can be asked,
 * or NULL. */
static uid_t owner_of(const struct process_targets *set, uid_t uid, const struct process *process)
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

    if (node->tenant || (!node->unowned && node->start_ticks > 0 && node->effective_uid == uid))
        return; /* it stays with the tenant that it is counted with, or nothing has changed */
    node->uid = owner_of(set, uid, process);
    node->effective_uid = uid;
    node->unowned = false;
}

void process_note_owner(const struct process_targets *set, struct process_node *node)
{
    uid_t uid;

    if (!node->unowned || process_read_uid(set->procfs_fd, node->pid, &uid) < 0)
        return;
    node->uid = owner_of(set, uid, NULL);
    node->unowned = false;
}
