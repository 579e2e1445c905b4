/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "target/process_set.h"

/*
 * A process is opened when it is new, and when its name has changed. Who belongs
 * to a target through its parents can be told only when these have been looked
 * at, so they come first.
 */

/* Another has got the number. 0 or -ENOMEM. */
static int renew(struct process_targets *set, struct process_node **node)
{
    pid_t pid = (*node)->pid;
    uint64_t inode = (*node)->inode;
    int r;

    process_forget(set, *node);
    r = process_add(set, pid, node);
    if (r < 0)
        return r;
    (*node)->inode = inode;
    process_enqueue(set, *node);
    return 0;
}

static void take_facts(const struct process_targets *set, struct process_node *node,
                       const struct process *process)
{
    const struct process_stat *stat = process_stat(process);

    process_take_owner(set, node, process);
    node->start_ticks = stat->start_ticks;
    node->kernel_thread = stat->kernel_thread;
    (void)snprintf(node->comm, sizeof(node->comm), "%.15s", stat->comm);
}

/* The kernel's record tells who started it; /proc, to whom it was given when that one ended. */
static struct process_node *find_parent(const struct process_targets *set,
                                        const struct process_node *node, pid_t given_to)
{
    struct process_node *parent = node->parent;

    if (!parent && node->parent_pid > 0)
        parent = process_find(set, node->parent_pid);
    return parent ? parent : process_find(set, given_to);
}

/* Puts the parent before it. False if that has been done, or is not to be done. */
static bool let_parent_go_first(struct process_targets *set, struct process_node *node,
                                struct process_node *parent)
{
    if (!parent || parent == node || !parent->looked_at_with || parent->only_name ||
        node->behind_parent)
        return false;
    node->behind_parent = true;
    process_put_before(set, parent, node);
    return true;
}

/*
 * One that executes another program is another target, also where its name stays: the
 * kernel drops the counters of those that gain privileges by it (Linux: begin_new_exec()),
 * and nothing tells.
 */
static bool is_unchanged(const struct process_node *node, int rule, const char *group)
{
    const struct counted_process *counted = node->counted;

    return counted && !node->execed && counted->target.rule == rule &&
           strcmp(counted->target.group, group) == 0;
}

/* One that is known by its user's name is so on, also where that is not told at this moment. */
static bool keeps_its_name(struct process_node *node, bool had_name, int rule)
{
    if (!had_name || !node->by_number || node->execed || node->counted->target.rule != rule)
        return false;
    node->by_number = false;
    return true;
}

/* 0, with the group's name to be freed, or -errno. -EAGAIN: there is more to be done. */
static int ask_rules(struct process_targets *set, struct process_node *node,
                     struct process *process, int *ret_rule, char **ret_group)
{
    struct process_matching matching = {.verdicts = TAKE(node->verdicts),
                                        .most_work = process_most_work(set),
                                        .by_number = node->by_number && !node->execed};
    AUTO_TEXT struct text name = {0};
    int rule = process_rules_match(set->rules, process, &matching, &name);

    node->verdicts = matching.verdicts;
    node->by_number = matching.by_number;
    set->work_of_patterns += matching.work;
    if (rule < -1)
        return rule;
    process_set_undecided(set, node, matching.undecided && rule < 0);
    *ret_group = text_take(&name);
    *ret_rule = rule;
    return *ret_group ? 0 : -ENOMEM;
}

/* It is a target for itself, or none. */
static int apply_rules(struct process_targets *set, struct process_node *node,
                       struct process *process)
{
    AUTO_FREE char *group = NULL;
    const bool had_name = node->counted && !node->by_number;
    int rule, r = ask_rules(set, node, process, &rule, &group);

    if (r == -EAGAIN) {
        process_enqueue(set, node);
        return 0;
    }
    if (r < 0)
        return r;
    if (rule >= 0 && (is_unchanged(node, rule, group) || keeps_its_name(node, had_name, rule)))
        return 0;
    node->execed = false;
    if (node->counted) {
        node->was_target = true;
        process_end_target(set, node->counted);
        process_dequeue(set, node);
    }
    if (rule >= 0)
        return process_admit(set, node, rule, &group);
    process_leave(set, node); /* it may have waited for room */
    return 0;
}

static int decide(struct process_targets *set, struct process_node *node, struct process *process)
{
    struct counted_process *family = process_family(node);

    if (family && family != node->counted)
        return process_join(set, node, family);
    if (node->counted && node->counted->first != node)
        return 0;
    return apply_rules(set, node, process);
}

/* What has ended is known only where each update reads all of /proc, which shows it until it is
 * waited for. */
static void bury(struct process_targets *set, struct process_node *node)
{
    process_dequeue(set, node);
    if (set->events)
        process_forget(set, node);
    else
        process_leave(set, node);
}

static int look_into(struct process_targets *set, struct process_node *node,
                     struct process *process)
{
    const struct process_stat *stat = process_stat(process);
    struct process_node *parent;

    if (node->start_ticks > 0 && node->start_ticks != stat->start_ticks) {
        int r = renew(set, &node);

        if (r < 0)
            return r;
    }
    take_facts(set, node, process);
    node->fresh = false;
    if (process_stat_is_ended(stat)) {
        bury(set, node);
        return 0;
    }
    parent = find_parent(set, node, stat->parent);
    if (let_parent_go_first(set, node, parent))
        return 0;
    if (parent)
        process_set_parent(node, parent);
    process_dequeue(set, node);
    return decide(set, node, process);
}

/* 0, or -errno where it is to be tried again: without memory or descriptors. */
static int look(struct process_targets *set, struct process_node *node)
{
    AUTO(process) struct process *process = NULL;
    pid_t pid = node->pid;
    int r = process_open(set->procfs_fd, pid, &process);

    if (r == 0)
        r = look_into(set, node, process);
    else if (r != -ESRCH && r != -ENOMEM && r != -EMFILE && r != -ENFILE) {
        process_dequeue(set, node); /* what it says is not understood */
        return 0;
    }
    node = process_find(set, pid);
    if (r == -ESRCH && node)
        process_forget(set, node);
    else if (r < 0 && node)
        process_enqueue(set, node);
    return r == -ESRCH ? 0 : r;
}

/* Whether nothing but the name was to be looked at, and that is the same. */
static bool is_same_name(struct process_targets *set, struct process_node *node)
{
    char comm[64];

    if (!node->only_name)
        return false;
    if (process_read_comm(set->procfs_fd, node->pid, comm) == 0 &&
        strncmp(comm, node->comm, sizeof(node->comm) - 1) != 0)
        return false;
    process_dequeue(set, node);
    return true;
}

int process_look_at_queued(struct process_targets *set)
{
    struct process_node *node;
    int r = 0;

    while (r == 0 && (node = process_next_turn(set))) {
        bool same = is_same_name(set, node);

        set->work_of_patterns = 0;
        if (!same)
            r = look(set, node);
        process_pay(set, set->work_of_patterns, same);
    }
    /* without descriptors in the next update */
    return r == -EMFILE || r == -ENFILE ? 0 : r;
}

/* Those for whom there is room; how many. */
static size_t enqueue_waiting(struct process_targets *set)
{
    size_t left = set->limits.processes, n = 0;
    struct process_user *user, *next;

    left = set->n_counted < left ? left - set->n_counted : 0;
    HASH_ITER(by_uid, set->users, user, next) {
        size_t room = process_room_for(set, user);
        struct process_node *node;

        room = room < left ? room : left;
        for (node = TAILQ_FIRST(&user->waiting); node && room > 0;
             node = TAILQ_NEXT(node, waiting_entry), room--, left--) {
            n += !node->looked_at_with;
            process_enqueue(set, node);
        }
    }
    return n;
}

int process_admit_waiting(struct process_targets *set)
{
    /* one that has ended, or does not match any more, leaves its room to the next */
    for (int round = 0; round < 3 && set->room; round++) {
        int r;

        set->room = enqueue_waiting(set) > 0;
        r = process_look_at_queued(set);
        if (r < 0)
            return r;
    }
    return 0;
}
