/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "base/clock.h"
#include "base/parse.h"
#include "sys/directory_entries.h"
#include "target/process_set.h"

/*
 * Reads all of /proc. To read the stat of a process costs more than everything else, so a process
 * that is known already is not opened again. The inode of /proc/PID, which comes with the name of
 * the directory, is another one when the number belongs to another process.
 *
 * The inode does not tell of a new name. If the kernel's records do not tell of it either, the comm
 * of a process is read with each scan while the process is young, since most take their name then,
 * and later with one scan in sixteen. These reads wait for the turn of the process' tenant, so
 * whoever makes thousands of processes delays only its own.
 */
#define SCANS_OF_THE_YOUNG 8
#define ONE_SCAN_IN        16

static bool is_comm_due(struct process_targets *set, struct process_node *node)
{
    if (node->kernel_thread || (node->counted && node->counted->first != node))
        return false;
    if (set->events)
        return true; /* with records, scans are rare */
    if (node->looks_young < SCANS_OF_THE_YOUNG) {
        node->looks_young++;
        return true;
    }
    return ((uint64_t)node->pid + set->scan) % ONE_SCAN_IN == 0;
}

/* Whether nothing but /proc tells when this counted process ends. */
static bool ends_unannounced(const struct process_node *node)
{
    const struct counted_process *counted = node->counted;

    return counted && (counted->first != node || counted->exit_fd < 0);
}

/* Notes a process that /proc shows, and queues it if it must be looked at. 0 or -ENOMEM. */
static int note_process(struct process_targets *set, pid_t pid, uint64_t inode)
{
    struct process_node *node = process_find(set, pid);
    bool is_new = !node, is_other = node && node->inode != 0 && node->inode != inode;
    int r = node ? 0 : process_add(set, pid, &node);

    if (r < 0)
        return r;
    node->inode = inode;
    node->scan = set->scan;
    /* if nothing tells the end of a process, only its stat says that it has ended */
    if (is_new || is_other || ends_unannounced(node))
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

static int read_entries(struct process_targets *set, int fd)
{
    struct directory_entries entries;
    struct directory_entry entry;
    uint64_t pid;
    int r;

    directory_entries_init(&entries, fd);
    while ((r = directory_entries_next(&entries, &entry)) > 0) {
        if (parse_u64(entry.name, &pid) < 0 || pid == 0 || pid > INT_MAX)
            continue;
        r = note_process(set, (pid_t)pid, entry.inode);
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
    r = read_entries(set, fd);
    if (r < 0)
        return r;
    forget_unseen(set);
    set->census.rescans++;
    set->rescan = false;
    set->last_scan_ns = clock_monotonic_ns();
    return 0;
}
