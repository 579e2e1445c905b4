/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "base/clock.h"
#include "base/parse.h"
#include "sys/directory_entries.h"
#include "target/process_set.h"

/*
 * Reading a stat costs more than everything else, so that those that are known
 * already are not read again: the inode of /proc/PID, which comes with the name,
 * is another when the number was given to another process. It does not tell of a
 * new name. Where nobody else tells of it either, the comm of each process is
 * read with each scan while it is young, when processes become what they are
 * going to be, and later with one scan in sixteen. Who makes thousands waits with
 * these for the turns of its own user.
 */
#define SCANS_OF_THE_YOUNG 8
#define ONE_SCAN_IN        16

static bool is_comm_due(struct process_targets *set, struct process_node *node)
{
    if (node->kernel_thread || (node->counted && node->counted->first != node))
        return false;
    if (set->events)
        return true; /* these scans are rare */
    if (node->looks_young < SCANS_OF_THE_YOUNG) {
        node->looks_young++;
        return true;
    }
    return ((uint64_t)node->pid + set->scan) % ONE_SCAN_IN == 0;
}

static bool ends_untold(const struct process_node *node)
{
    const struct counted_process *counted = node->counted;

    return counted && (counted->first != node || counted->exit_fd < 0);
}

/* A process that /proc shows. 0 or -ENOMEM. */
static int see(struct process_targets *set, pid_t pid, uint64_t inode)
{
    struct process_node *node = process_find(set, pid);
    bool is_new = !node, is_other = node && node->inode != 0 && node->inode != inode;
    int r = node ? 0 : process_add(set, pid, &node);

    if (r < 0)
        return r;
    node->inode = inode;
    node->scan = set->scan;
    /* of what ends untold its stat alone tells that it has ended, or is another by now */
    if (is_new || is_other || ends_untold(node))
        process_enqueue(set, node);
    else if (!node->looked_at_with && is_comm_due(set, node))
        process_enqueue_name(set, node);
    return 0;
}

static void forget_unseen(struct process_targets *set)
{
    struct process_node *node, *next;

    HASH_ITER(by_pid, set->nodes, node, next) {
        if (node->scan != set->scan)
            process_forget(set, node);
    }
}

static int see_all(struct process_targets *set, int fd)
{
    struct directory_entries entries;
    struct directory_entry entry;
    uint64_t pid;
    int r;

    directory_entries_init(&entries, fd);
    while ((r = directory_entries_next(&entries, &entry)) > 0) {
        if (parse_u64(entry.name, &pid) < 0 || pid == 0 || pid > INT_MAX)
            continue;
        r = see(set, (pid_t)pid, entry.inode);
        if (r < 0)
            return r;
    }
    return r;
}

int process_scan(struct process_targets *set)
{
    AUTO_CLOSE int fd =
        (int)TEMP_FAILURE_RETRY(openat(set->procfs_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    int r;

    if (fd < 0)
        return -errno;
    set->scan++;
    r = see_all(set, fd);
    if (r < 0)
        return r;
    forget_unseen(set);
    set->census.rescans++;
    set->rescan = false;
    set->last_scan_ns = clock_monotonic_ns();
    return 0;
}
