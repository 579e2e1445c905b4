/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/array.h"
#include "target/process_set.h"

/*
 * Lists the threads and processes of a target. The set knows which processes belonged to it at the
 * last update. What was started since is found by going down from these through the lists of
 * children in /proc. So the caller may list again after opening, and sees what exists then.
 */

struct pid_list {
    pid_t *ids;
    size_t n, capacity;
};

static int append(struct pid_list *list, const pid_t *ids, size_t n)
{
    pid_t *room = array_reserve(list->ids, sizeof(*room), &list->capacity, list->n + n);

    if (!room)
        return -ENOMEM;
    list->ids = room;
    if (n > 0)
        memcpy(list->ids + list->n, ids, n * sizeof(*ids));
    list->n += n;
    return 0;
}

static void pid_list_done(const struct pid_list *list)
{
    free(list->ids);
}
#define AUTO_PID_LIST __attribute__((cleanup(pid_list_done)))

static bool contains(const struct pid_list *list, pid_t id)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->ids[i] == id)
            return true;
    return false;
}

static int append_children(struct process_targets *set, struct pid_list *processes, pid_t pid,
                           pid_t thread)
{
    AUTO_FREE pid_t *children = NULL;
    size_t n = 0;
    int r = process_thread_children(set->procfs_fd, pid, thread, &children, &n);

    if (r < 0)
        return r == -ENOMEM ? r : 0;
    for (size_t i = 0; i < n && r == 0; i++)
        /* a child that the set knows is in the list already, is left out, or was adopted */
        if (!process_find(set, children[i]) && !contains(processes, children[i]))
            r = append(processes, &children[i], 1);
    return r;
}

/* Whether the number still belongs to the process that the set knows, if it does. 1, 0 or -errno.
 */
static int has_its_number(const struct process_targets *set, pid_t pid)
{
    const struct process_node *node = process_find(set, pid);
    AUTO(process) struct process *process = NULL;
    int r;

    if (!node || node->start_ticks == 0)
        return 1;
    if (node->counted && node->counted->first == node && node->counted->exit_fd >= 0)
        return !exit_watch_has_ended(node->counted->exit_fd);
    r = process_open(set->procfs_fd, pid, &process);
    if (r < 0)
        return r == -ESRCH ? 0 : r;
    return process_stat(process)->start_ticks == node->start_ticks;
}

/* What a list has of each process: its threads, or the process itself. */
enum listed { LISTED_THREADS, LISTED_PROCESSES };

/* Appends one process or its threads to the list, and its children to the processes to go on with.
 */
static int append_process(struct process_targets *set, const struct process_target *target,
                          struct pid_list *processes, pid_t pid, enum listed listed,
                          struct pid_list *list)
{
    AUTO_FREE pid_t *ids = NULL;
    size_t n = 0, n_processes = processes->n;
    int r = process_threads(set->procfs_fd, pid, &ids, &n);

    if (r < 0)
        return r == -ESRCH ? 0 : r;
    for (size_t i = 0; i < n && r == 0 && target->children; i++)
        r = append_children(set, processes, pid, ids[i]);
    if (r == 0)
        r = has_its_number(set, pid); /* asked last, so all that was listed is of this process */
    if (r == 0)
        processes->n = n_processes;
    if (r <= 0)
        return r;
    return listed == LISTED_PROCESSES ? append(list, &pid, 1) : append(list, ids, n);
}

static int compare(const void *a, const void *b)
{
    const pid_t *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

static int list_target(struct process_targets *targets, const struct process_target *target,
                       enum listed listed, pid_t **ret_ids, size_t *ret_n)
{
    const struct counted_process *counted = (const struct counted_process *)target;
    AUTO_PID_LIST struct pid_list processes = {0};
    AUTO_PID_LIST struct pid_list list = {0};
    const struct process_node *node;
    int r = 0;

    for (node = LIST_FIRST(&counted->members); node && r == 0; node = LIST_NEXT(node, member))
        if (!node->left_out)
            r = append(&processes, &node->pid, 1);
    for (size_t i = 0; i < processes.n && r == 0; i++)
        r = append_process(targets, target, &processes, processes.ids[i], listed, &list);
    if (r < 0)
        return r;
    if (!list.ids)
        return -ESRCH;
    qsort(list.ids, list.n, sizeof(*list.ids), compare);
    *ret_n = list.n;
    *ret_ids = TAKE(list.ids);
    return 0;
}

int process_targets_threads(struct process_targets *targets, const struct process_target *target,
                            pid_t **ret_threads, size_t *ret_n)
{
    return list_target(targets, target, LISTED_THREADS, ret_threads, ret_n);
}

int process_targets_processes(struct process_targets *targets, const struct process_target *target,
                              pid_t **ret_processes, size_t *ret_n)
{
    return list_target(targets, target, LISTED_PROCESSES, ret_processes, ret_n);
}
