/* SPDX-License-Identifier: Apache-2.0 */
#define HASH_NONFATAL_OOM            1
#define uthash_nonfatal_oom(element) (out_of_memory = true)

#include <errno.h>

#include "target/process_set.h"

/*
 * There is a node for each process; the kernel bounds how many there are by its numbers. It gives
 * numbers out one after the other, so a number is its own best hash.
 */

struct process_node *process_find(const struct process_targets *set, pid_t pid)
{
    struct process_node *node;

    HASH_FIND_BYHASHVALUE(by_pid, set->nodes, &pid, sizeof(pid), (unsigned)pid, node);
    return node;
}

int process_add(struct process_targets *set, pid_t pid, struct process_node **ret_node)
{
    struct process_node *node = calloc(1, sizeof(*node));
    bool out_of_memory = false;

    if (!node)
        return -ENOMEM;
    node->pid = pid;
    node->scan = set->scan;
    node->unowned = true;
    LIST_INIT(&node->children);
    HASH_ADD_BYHASHVALUE(by_pid, set->nodes, pid, sizeof(pid), (unsigned)pid, node);
    if (out_of_memory) {
        free(node);
        return -ENOMEM;
    }
    *ret_node = node;
    return 0;
}

static bool descends_from(const struct process_node *descendant, const struct process_node *top)
{
    for (; descendant; descendant = descendant->parent)
        if (descendant == top)
            return true;
    return false;
}

void process_set_parent(struct process_node *node, struct process_node *parent)
{
    if (node->parent || node == parent)
        return;
    /* nobody is older than its parent, so another process has got the parent's number since */
    if (node->start_ticks > 0 && parent->start_ticks > node->start_ticks)
        return;
    if (!LIST_EMPTY(&node->children) && descends_from(parent, node))
        return;
    node->parent = parent;
    LIST_INSERT_HEAD(&parent->children, node, sibling);
}

void process_node_free(struct process_node *node)
{
    free(node->verdicts);
    free(node);
}

/* Gives the children of a process that ends to its parent: they descend from that one as well. */
static void hand_over_children(struct process_node *node)
{
    struct process_node *child;

    while ((child = LIST_FIRST(&node->children))) {
        LIST_REMOVE(child, sibling);
        child->parent = node->parent;
        child->parent_pid = 0;
        if (node->parent)
            LIST_INSERT_HEAD(&node->parent->children, child, sibling);
    }
}

void process_set_undecided(struct process_targets *set, struct process_node *node, bool undecided)
{
    set->census.undecided += undecided;
    set->census.undecided -= node->undecided;
    node->undecided = undecided;
}

void process_set_late(struct process_targets *set, struct process_node *node,
                      enum process_name_late late)
{
    set->n_late += late != PROCESS_NAME_IN_TIME;
    set->n_late -= node->late != PROCESS_NAME_IN_TIME;
    node->late = late;
}

void process_remove(struct process_targets *set, struct process_node *node)
{
    process_set_undecided(set, node, false);
    process_set_late(set, node, PROCESS_NAME_IN_TIME);
    if (node->ending)
        TAILQ_REMOVE(&set->ending, node, ending_entry);
    hand_over_children(node);
    if (node->parent)
        LIST_REMOVE(node, sibling);
    HASH_DELETE(by_pid, set->nodes, node);
    process_node_free(node);
}

struct process_tenant *process_tenant_get(struct process_targets *set, uid_t uid)
{
    struct process_tenant *tenant;
    bool out_of_memory = false;

    HASH_FIND_BYHASHVALUE(by_uid, set->tenants, &uid, sizeof(uid), (unsigned)uid, tenant);
    if (tenant)
        return tenant;
    tenant = calloc(1, sizeof(*tenant));
    if (!tenant)
        return NULL;
    tenant->uid = uid;
    TAILQ_INIT(&tenant->waiting);
    TAILQ_INIT(&tenant->to_look);
    HASH_ADD_BYHASHVALUE(by_uid, set->tenants, uid, sizeof(uid), (unsigned)uid, tenant);
    if (!out_of_memory)
        return tenant;
    free(tenant);
    return NULL;
}

void process_tenant_drop(struct process_targets *set, struct process_tenant *tenant)
{
    if (tenant->counted > 0 || !TAILQ_EMPTY(&tenant->waiting) || !TAILQ_EMPTY(&tenant->to_look) ||
        tenant == set->served || tenant == &set->nobody || tenant == &set->continuing)
        return;
    HASH_DELETE(by_uid, set->tenants, tenant);
    free(tenant);
}
