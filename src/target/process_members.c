/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/share.h"
#include "target/process_set.h"

/*
 * Decides which of the processes that the rules want are counted. Whoever is counted stays so. A
 * newcomer beyond a limit waits in the queue of its tenant until something ends.
 *
 * What a process starts while it is counted with its children, the kernel counts with it whatever
 * our limits say. So it always belongs to the target and takes up room. What the process had
 * started before needs room like any other. If that is left out, it stays so, because counters are
 * opened only when the target is born.
 */

static size_t room_below(size_t limit, size_t n)
{
    return n < limit ? limit - n : 0; /* children of a target may exceed the limit */
}

size_t process_room_for(const struct process_targets *set, const struct process_tenant *tenant)
{
    const size_t left = share_left(set->limits.processes, set->n_counted - tenant->counted);
    const size_t most = left < set->limits.per_user ? left : set->limits.per_user;
    size_t all = room_below(set->limits.processes, set->n_counted);
    size_t of_tenant = room_below(most, tenant->counted);

    return tenant->uid == 0 || all < of_tenant ? all : of_tenant;
}

static bool is_full_for(const struct process_targets *set, const struct process_tenant *tenant)
{
    return process_room_for(set, tenant) == 0;
}

static void charge(struct process_targets *set, struct process_node *node,
                   struct process_tenant *tenant)
{
    node->tenant = tenant;
    tenant->counted++;
    set->n_counted++;
}

/* Counts a process that is wanted and has no room. */
static void count_refused(struct process_targets *set, struct process_node *node)
{
    set->census.uncounted[ABSENCE_OVER_LIMIT]++;
    if (!node->refused)
        set->census.dropped[ABSENCE_OVER_LIMIT]++;
    node->refused = true;
}

static void stop_waiting(struct process_targets *set, struct process_node *node)
{
    struct process_tenant *tenant = TAKE(node->waiting);

    if (!tenant)
        return;
    TAILQ_REMOVE(&tenant->waiting, node, waiting_entry);
    set->census.uncounted[ABSENCE_OVER_LIMIT]--;
    process_tenant_drop(set, tenant);
}

struct counted_process *process_family(const struct process_node *node)
{
    struct counted_process *counted = node->parent ? node->parent->counted : NULL;

    return counted && counted->target.children ? counted : NULL;
}

/* Whether the process is not counted with its target: it or its parent was there first, without
 * room. */
static bool is_left_out(const struct process_targets *set, const struct process_node *node,
                        const struct process_tenant *tenant)
{
    const struct process_node *parent = node->parent;
    bool was_there_before = !target_news_birth_is_taken(&set->news, node->counted);

    return (parent && parent->counted == node->counted && parent->left_out) ||
           (was_there_before && is_full_for(set, tenant));
}

int process_join(struct process_targets *set, struct process_node *node,
                 struct counted_process *counted)
{
    struct process_tenant *tenant = process_tenant_get(set, node->uid);

    if (!tenant)
        return -ENOMEM;
    tenant->counted++; /* keeps the tenant in memory while the node leaves its old target */
    process_leave(set, node);
    tenant->counted--;
    node->counted = counted;
    LIST_INSERT_HEAD(&counted->members, node, member);
    node->left_out = is_left_out(set, node, tenant);
    if (node->left_out) {
        count_refused(set, node);
        process_tenant_drop(set, tenant);
        return 0;
    }
    charge(set, node, tenant);
    counted->target.n_members++;
    return 0;
}

/*
 * Makes members of all known descendants, whatever target they belonged to until now. They are
 * looked at once more: the record of an exit, and the descriptor of a first process, may have been
 * there for them already, and will not come again.
 */
static int adopt_descendants(struct process_targets *set, struct counted_process *counted)
{
    struct process_node *top = counted->first, *node = top;
    int r = 0;

    while ((node = TREE_NEXT(top, node))) {
        if (node->counted == counted)
            continue;
        if (r == 0)
            r = process_join(set, node, counted);
        process_enqueue(set, node); /* without memory it may become a member then */
    }
    return r;
}

/* Enters the target everywhere that it is counted and found. */
static void enter_target(struct process_targets *set, struct process_node *node,
                         struct counted_process *counted)
{
    target_news_add_birth(&set->news, counted);
    LIST_INSERT_HEAD(&set->all, counted, entry);
    set->census.standing++;
    node->counted = counted;
    LIST_INSERT_HEAD(&counted->members, node, member);
}

static int admit(struct process_targets *set, struct process_node *node, int rule, char **group,
                 struct process_tenant *tenant)
{
    AUTO(counted_process) struct counted_process *counted = NULL;
    struct counted_process *admitted;
    int r = target_news_reserve(&set->news, set->census.standing);

    if (r == 0)
        r = counted_process_new(set, node, rule, group, &counted);
    if (r < 0)
        return r;
    charge(set, node, tenant);
    stop_waiting(set, node);
    admitted = TAKE(counted);
    enter_target(set, node, admitted);
    return admitted->target.children ? adopt_descendants(set, admitted) : 0;
}

int process_admit(struct process_targets *set, struct process_node *node, int rule, char **group)
{
    struct process_tenant *tenant = process_tenant_get(set, node->uid);
    int r;

    if (!tenant)
        return -ENOMEM;
    if (is_full_for(set, tenant)) {
        if (node->waiting == tenant)
            return 0; /* it keeps its place in the queue */
        stop_waiting(set, node);
        TAILQ_INSERT_TAIL(&tenant->waiting, node, waiting_entry);
        node->waiting = tenant;
        count_refused(set, node);
        return 0;
    }
    r = admit(set, node, rule, group, tenant);
    if (r < 0 && !node->counted)
        process_tenant_drop(set, tenant);
    return r;
}

/* Ends a target that has no members any more. */
static void end_empty_target(struct process_targets *set, struct counted_process *counted)
{
    set->census.standing--;
    set->room = true;
    counted->exit_fd = set->exits ? exit_watch_remove(set->exits, counted->exit_fd) : -1;
    counted->target.gone = true;
    if (target_news_add_end(&set->news, counted))
        return;
    LIST_REMOVE(counted, entry);
    (void)counted_process_free(counted);
}

/* Takes a process out of its target. The caller decides what becomes of the target. */
static void leave_target(struct process_targets *set, struct process_node *node)
{
    struct counted_process *counted = TAKE(node->counted);
    struct process_tenant *tenant = TAKE(node->tenant);

    LIST_REMOVE(node, member);
    if (counted->first == node)
        counted->first = NULL;
    if (node->left_out)
        set->census.uncounted[ABSENCE_OVER_LIMIT]--;
    node->left_out = false;
    if (!tenant)
        return;
    counted->target.n_members--;
    set->n_counted--;
    set->room = true;
    tenant->counted--;
    process_tenant_drop(set, tenant);
}

void process_end_target(struct process_targets *set, struct counted_process *counted)
{
    struct process_node *node;

    while ((node = LIST_FIRST(&counted->members))) {
        leave_target(set, node);
        process_enqueue(set, node);
    }
    end_empty_target(set, counted);
}

void process_leave(struct process_targets *set, struct process_node *node)
{
    struct counted_process *counted = node->counted;

    stop_waiting(set, node);
    if (!counted)
        return;
    leave_target(set, node);
    if (counted->target.n_members == 0)
        process_end_target(set, counted);
}

void process_forget(struct process_targets *set, struct process_node *node)
{
    process_leave(set, node);
    process_dequeue(set, node);
    process_remove(set, node);
}
