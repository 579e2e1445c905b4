/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "target/process_set.h"

/*
 * Takes the kernel's records of births, new names and ends. All records are taken before anybody
 * looks into /proc, so a process that was born and has ended since the last update costs no look.
 *
 * A record is only a hint. It may come late, when another process has the number already. So a
 * counted process ends only when its descriptor or /proc says so, and the birth of a process that
 * is known makes us look again.
 */

#define RETRY_NS UINT64_C(60000000000)

static void try_watching(struct process_targets *set, uint64_t now_ns)
{
    set->events_tried_ns = now_ns;
    if (task_events_new(&set->events) == 0 && task_events_begin(set->events) < 0)
        set->events = task_events_free(set->events);
    set->rescan = true; /* no record tells what happened before they were opened */
}

/* Whether the open records still tell everything. */
static bool still_watches(struct process_targets *set, uint64_t now_ns)
{
    return task_events_begin(set->events) == 0 &&
           (now_ns - set->last_scan_ns < RETRY_NS || task_events_are_served(set->events));
}

void process_watch_births(struct process_targets *set, uint64_t now_ns)
{
    if (set->events && !still_watches(set, now_ns)) {
        set->events = task_events_free(set->events);
        set->events_tried_ns = 0;
    }
    if (!set->events && set->is_ours &&
        (set->events_tried_ns == 0 || now_ns - set->events_tried_ns >= RETRY_NS))
        try_watching(set, now_ns);
    set->census.watching = set->events;
}

static int add_fresh(struct process_targets *set, const struct task_event *event,
                     const struct process_node *parent, struct process_node **ret_node)
{
    struct process_node *node;
    int r = process_add(set, event->pid, &node);

    if (r < 0)
        return r;
    node->parent_pid = event->parent;
    node->uid = parent ? parent->uid : 0; /* its tenant is found out when it is queued */
    node->fresh = true;
    node->threads = 1;
    *ret_node = node;
    return 0;
}

/*
 * Whether the known process of this number has certainly ended, by a record before this birth or by
 * its descriptor. /proc could not tell: both processes may have started in the same clock tick.
 */
static bool has_surely_ended(const struct process_node *node)
{
    const struct counted_process *counted = node->counted;

    return node->ending || (counted && counted->first == node && counted->exit_fd >= 0 &&
                            exit_watch_has_ended(counted->exit_fd));
}

static int take_birth(struct process_targets *set, const struct task_event *event)
{
    struct process_node *node = process_find(set, event->pid), *parent;
    struct counted_process *family;
    int r = 0;

    if (node && has_surely_ended(node)) {
        process_forget(set, node);
        node = NULL;
    }
    parent = process_find(set, event->parent);
    if (!node)
        r = add_fresh(set, event, parent, &node);
    if (r < 0)
        return r;
    if (parent)
        process_set_parent(node, parent);
    process_enqueue(set, node);
    family = process_family(node);
    return family && family != node->counted ? process_join(set, node, family) : 0;
}

static int take_fork(struct process_targets *set, const struct task_event *event)
{
    struct process_node *node;

    if (event->pid == event->tid)
        return take_birth(set, event);
    node = process_find(set, event->pid);
    if (node && node->fresh)
        node->threads++;
    return 0;
}

void process_await_end(struct process_targets *set, struct process_node *node)
{
    if (!node->ending)
        TAILQ_INSERT_TAIL(&set->ending, node, ending_entry);
    node->ending = true;
}

static void stop_awaiting(struct process_targets *set, struct process_node *node)
{
    TAILQ_REMOVE(&set->ending, node, ending_entry);
    node->ending = false;
}

static void take_exit(struct process_targets *set, const struct task_event *event)
{
    struct process_node *node = process_find(set, event->pid);

    if (!node)
        return;
    if (node->fresh) {
        if (--node->threads == 0)
            process_forget(set, node);
        return;
    }
    if (event->pid != event->tid)
        return; /* other threads may end while the process goes on */
    if (node->counted) {
        /* what is counted ends only when its descriptor or /proc says so: look from now on */
        process_await_end(set, node);
    } else if (node->waiting) {
        process_enqueue(set, node);
    } else {
        process_forget(set, node);
    }
}

static int take_comm(struct process_targets *set, const struct task_event *event)
{
    struct process_node *node = process_find(set, event->pid);
    int r = node ? 0 : process_add(set, event->pid, &node);

    if (r < 0)
        return r;
    node->execed |= event->exec;
    if (!node->counted || node->counted->first == node)
        process_enqueue(set, node);
    return 0;
}

static int take(struct process_targets *set, const struct task_event *event)
{
    switch (event->kind) {
    case TASK_EVENT_FORK:
        return take_fork(set, event);
    case TASK_EVENT_COMM:
        return take_comm(set, event);
    case TASK_EVENT_EXIT:
        take_exit(set, event);
        return 0;
    case TASK_EVENT_LOST:
        set->rescan = true;
        return 0;
    }
    return 0;
}

int process_take_records(struct process_targets *set)
{
    struct task_event event;
    bool lost = false;
    int r = 0;

    while (r == 0 && set->events && task_events_next(set->events, &event)) {
        lost |= event.kind == TASK_EVENT_LOST;
        r = take(set, &event);
    }
    set->census.losses += lost;
    return r;
}

/* Forgets the first processes of targets whose descriptors tell that they have ended. */
static void take_ended(struct process_targets *set)
{
    struct counted_process *counted;

    while (set->exits && (counted = exit_watch_next(set->exits))) {
        counted->exit_fd = exit_watch_remove(set->exits, counted->exit_fd);
        if (counted->first)
            process_forget(set, counted->first);
    }
}

int process_follow_records(struct process_targets *set)
{
    int r;

    /* if CPUs came, or there is no memory, the next update mends the records */
    if (!set->events || task_events_begin(set->events) < 0)
        return 0;
    r = process_take_records(set);
    if (r == 0)
        take_ended(set);
    return r;
}

/*
 * Looks whether a process whose first thread exits has ended, or other threads of it go on. If the
 * first thread lives, another one has executed a program and taken its place: then there will be
 * another record.
 */
static void look_after_exit(struct process_targets *set, struct process_node *node)
{
    AUTO(process) struct process *process = NULL;
    int r = process_open(set->procfs_fd, node->pid, &process);
    const struct process_stat *stat = r == 0 ? process_stat(process) : NULL;

    if (r == -ESRCH ||
        (stat && (process_stat_is_ended(stat) ||
                  (node->start_ticks > 0 && stat->start_ticks != node->start_ticks)))) {
        process_forget(set, node);
        return;
    }
    if (stat && !stat->exiting)
        stop_awaiting(set, node);
}

void process_take_exits(struct process_targets *set)
{
    struct process_node *node, *next;

    take_ended(set);
    for (node = TAILQ_FIRST(&set->ending); node; node = next) {
        next = TAILQ_NEXT(node, ending_entry);
        /* the descriptor of a first process tells its end, so no look is needed */
        if (node->counted && node->counted->first == node && node->counted->exit_fd >= 0)
            stop_awaiting(set, node);
        else
            look_after_exit(set, node);
    }
}
