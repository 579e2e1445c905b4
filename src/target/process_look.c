/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "target/process_set.h"

/*
 * Looks at processes that are new, or whose name has changed: opens them and asks the rules.
 * Whether a process belongs to a target through its parents is known only after somebody has looked
 * at these, so parents come first.
 */

/* A question may have been lost, for want of memory or room: then no answer tells to ask again. */
#define ASK_ALL_NS (60 * NS_PER_SECOND)

/* Another process has got the number: replaces the node by a new one. 0 or -ENOMEM. */
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

/* What the predecessor knows of the process; NULL: nothing, or of another one with its number. */
static const struct process_node *find_former(const struct process_targets *set,
                                              const struct process_node *node)
{
    const struct process_node *former =
        set->predecessor ? process_find(set->predecessor, node->pid) : NULL;

    return former && former->start_ticks == node->start_ticks ? former : NULL;
}

/* The nearest ancestor that the predecessor knows, and that is still there. */
static struct process_node *find_former_parent(const struct process_targets *set,
                                               const struct process_node *node)
{
    const struct process_node *former = find_former(set, node);
    struct process_node *parent = NULL;

    while (former && !parent && (former = former->parent))
        parent = process_find(set, former->pid); /* process_set_parent() refuses a younger one */
    return parent;
}

/*
 * The kernel's record tells who started a process, and a predecessor has heard of births before
 * ours. /proc tells who is its parent now, which is another one if the first has ended.
 */
static struct process_node *find_parent(const struct process_targets *set,
                                        const struct process_node *node, pid_t given_to)
{
    struct process_node *parent = node->parent;

    if (!parent && node->parent_pid > 0)
        parent = process_find(set, node->parent_pid);
    if (!parent)
        parent = find_former_parent(set, node);
    return parent ? parent : process_find(set, given_to);
}

/*
 * Whether the process goes before all turns, and the parent does not: ancestors that nobody counts,
 * of which a stranger can make as many as he likes, wait for their turns.
 */
static bool goes_before_turns_alone(const struct process_targets *set,
                                    const struct process_node *node,
                                    const struct process_node *parent)
{
    return node->looked_at_with == &set->continuing && parent->looked_at_with != &set->continuing;
}

/*
 * Puts the parent before the process in the queue. Returns false if the parent needs no look, or if
 * this was done before, so that two processes cannot wait for each other.
 */
static bool let_parent_go_first(struct process_targets *set, struct process_node *node,
                                struct process_node *parent)
{
    if (!parent || parent == node || !parent->looked_at_with || parent->only_name ||
        node->behind_parent || goes_before_turns_alone(set, node, parent))
        return false;
    node->behind_parent = true;
    process_put_before(set, parent, node);
    return true;
}

/*
 * Whether the process is the same target as before. After it has executed another program it is
 * not, even with the same name: the kernel drops the counters of a process that gains privileges by
 * an exec (Linux: begin_new_exec()), and tells nobody.
 */
static bool is_unchanged(const struct process_node *node, int rule, const char *group)
{
    const struct counted_process *counted = node->counted;

    return counted && !node->execed && counted->target.rule == rule &&
           strcmp(counted->target.group, group) == 0;
}

/* A group that has its name keeps it if somebody who tells names is late this time. */
static bool keeps_its_name(const struct process_node *node, int rule)
{
    return node->counted && node->has_name && node->late && !node->execed &&
           node->counted->target.rule == rule;
}

/*
 * A process that the predecessor counts goes on in its group if somebody who tells names is late:
 * so its counters can be handed over. 0 or -ENOMEM.
 */
static int take_former_name(const struct process_targets *set, struct process_node *node, int rule,
                            char **group)
{
    const struct process_node *former = find_former(set, node);
    const struct counted_process *counted = former ? former->counted : NULL;
    char *copy;

    if (!counted || counted->first != former ||
        !process_rules_name_alike(set->rules, rule, set->predecessor->rules, counted->target.rule))
        return 0;
    copy = strdup(counted->target.group);
    if (!copy)
        return -ENOMEM;
    free(*group);
    *group = copy;
    node->has_name = former->has_name;
    return 0;
}

/*
 * Asks the rules about a process. Returns 0 and the group's name, which the caller frees; -EAGAIN
 * if patterns need more work than one turn has; or another -errno.
 */
static int ask_rules(struct process_targets *set, struct process_node *node,
                     struct process *process, int *ret_rule, char **ret_group)
{
    struct process_matching matching = {.verdicts = TAKE(node->verdicts),
                                        .most_work = process_most_work(set)};
    AUTO_TEXT struct text name = {0};
    int rule = process_rules_match(set->rules, process, &matching, &name);

    node->verdicts = matching.verdicts;
    set->work_of_patterns += matching.work;
    if (rule < -1)
        return rule;
    process_set_undecided(set, node, matching.undecided && rule < 0);
    process_set_late(set, node, matching.late);
    *ret_group = text_take(&name);
    *ret_rule = rule;
    return *ret_group ? 0 : -ENOMEM;
}

/* Makes the process a target of its own if a rule matches it, and ends the target that it was. */
static int apply_rules(struct process_targets *set, struct process_node *node,
                       struct process *process)
{
    AUTO_FREE char *group = NULL;
    int rule, r = ask_rules(set, node, process, &rule, &group);

    if (r == -EAGAIN) {
        process_enqueue(set, node);
        return 0;
    }
    if (r < 0)
        return r;
    if (rule >= 0 && keeps_its_name(node, rule))
        return 0;
    node->has_name = !node->late;
    if (rule >= 0 && node->late)
        r = take_former_name(set, node, rule, &group);
    if (r < 0)
        return r;
    if (rule >= 0 && is_unchanged(node, rule, group))
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

/* Descendants of a target with `children` belong to it; the rules decide about all others. */
static int decide(struct process_targets *set, struct process_node *node, struct process *process)
{
    struct counted_process *family = process_family(node);
    const bool joins = family && family != node->counted;

    if (!joins && (!node->counted || node->counted->first == node))
        return apply_rules(set, node, process);
    process_set_late(set, node, PROCESS_NAME_IN_TIME); /* the name is that of the family */
    return joins ? process_join(set, node, family) : 0;
}

/*
 * A process has ended. Without the kernel's records each update reads all of /proc, which still
 * shows the process until its parent has waited for it; so the node stays, or it would seem to be
 * born again.
 */
static void note_end(struct process_targets *set, struct process_node *node)
{
    process_dequeue(set, node);
    process_set_late(set, node, PROCESS_NAME_IN_TIME);
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
    int r = 0;

    if (node->start_ticks > 0 && node->start_ticks != stat->start_ticks)
        r = renew(set, &node);
    if (r < 0)
        return r;
    take_facts(set, node, process);
    node->fresh = false;
    if (process_stat_is_ended(stat) || (!node->counted && process_stat_is_about_to_end(stat))) {
        note_end(set, node);
        return 0;
    }
    parent = find_parent(set, node, stat->parent);
    if (let_parent_go_first(set, node, parent))
        return 0;
    if (parent)
        process_set_parent(node, parent);
    process_dequeue(set, node);
    r = decide(set, node, process);
    /* the record of its exit may have been taken before it was counted, when it told nothing */
    if (r == 0 && set->events && node->counted && stat->exiting)
        process_await_end(set, node);
    return r;
}

/* Looks at one process. 0, or -errno if it was queued again for want of memory or descriptors. */
static int look(struct process_targets *set, struct process_node *node)
{
    AUTO(process) struct process *process = NULL;
    pid_t pid = node->pid;
    int r = process_open(set->procfs_fd, pid, &process);

    if (r == 0)
        r = look_into(set, node, process);
    else if (r != -ESRCH && r != -ENOMEM && r != -EMFILE && r != -ENFILE) {
        process_dequeue(set, node); /* /proc says something that we do not understand */
        return 0;
    }
    node = process_find(set, pid);
    if (r == -ESRCH && node)
        process_forget(set, node);
    else if (r < 0 && node)
        process_enqueue(set, node);
    return r == -ESRCH ? 0 : r;
}

/* Whether only the name was to be looked at and it is still the same, so that no more is to be
 * done. */
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

/* Notes who has answered since the last time; everybody does if it is long ago. */
static void note_answers(struct process_targets *set, uint64_t now_ns,
                         bool ret_has_answered[PROCESS_NAME_LATE_COUNT_])
{
    const bool is_long_ago = now_ns - set->late_ns >= ASK_ALL_NS;

    if (is_long_ago)
        set->late_ns = now_ns;
    for (enum process_name_late who = PROCESS_USER_LATE; who < PROCESS_NAME_LATE_COUNT_; who++) {
        const uint64_t n = process_rules_answers(set->rules, who);

        ret_has_answered[who] = is_long_ago || n != set->answers[who];
        set->answers[who] = n;
    }
}

void process_enqueue_late(struct process_targets *set, uint64_t now_ns)
{
    bool has_answered[PROCESS_NAME_LATE_COUNT_] = {false};
    struct process_node *node, *next;

    if (set->n_late == 0)
        return;
    note_answers(set, now_ns, has_answered);
    HASH_ITER(by_pid, set->nodes, node, next) {
        if (has_answered[node->late])
            process_enqueue(set, node);
    }
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
    /* for want of descriptors the rest is looked at in the next update */
    return r == -EMFILE || r == -ENFILE ? 0 : r;
}

/* Queues as many waiting processes of each tenant as there is room for. Returns how many. */
static size_t enqueue_waiting(struct process_targets *set)
{
    size_t left = set->limits.processes, n = 0;
    struct process_tenant *tenant, *next;

    left = set->n_counted < left ? left - set->n_counted : 0;
    HASH_ITER(by_uid, set->tenants, tenant, next) {
        size_t room = process_room_for(set, tenant);
        struct process_node *node;

        room = room < left ? room : left;
        for (node = TAILQ_FIRST(&tenant->waiting); node && room > 0;
             node = TAILQ_NEXT(node, waiting_entry), room--, left--) {
            n += !node->looked_at_with;
            process_enqueue(set, node);
        }
    }
    return n;
}

int process_admit_waiting(struct process_targets *set)
{
    /* a process that has ended, or does not match any more, leaves its room to the next one */
    for (int round = 0; round < 3 && set->room; round++) {
        int r;

        set->room = enqueue_waiting(set) > 0;
        r = process_look_at_queued(set);
        if (r < 0)
            return r;
    }
    return 0;
}
