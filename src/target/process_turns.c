/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "target/process_set.h"

/*
 * Strangers choose how many processes there are to look at, and which arguments patterns have to go
 * through. So the work of an update is bounded, and tenants take turns: each round gives each
 * tenant that has something to look at the same amount of work. Whoever takes more pays it back
 * before its next turn (deficit round robin, Shreedhar and Varghese 1995). What is not looked at
 * now comes first in the next turn of its tenant.
 *
 * Work is counted in steps of the matcher of patterns, and a look is worth a fixed number of them,
 * so it is the same on every machine. The clock ends it too, should the machine be slow or busy.
 *
 * What the predecessor of a set counts comes before all turns, for two seconds at most: who is not
 * found in the first update loses the counters that are handed over then, and what it does until
 * they are opened afresh is counted by nobody. Each has one look, with the patterns of one turn;
 * where these do not suffice, it waits for its turn like all others.
 */
#define WORK_OF_LOOK      1000 /* steps; they take some 30 us, as a look does */
#define WORK_OF_NAME      300  /* for a look at nothing but the name */
#define WORK_OF_TURN      ((int64_t)64 * WORK_OF_LOOK)
#define MOST_WORK_AT_ONCE 1000000 /* for the patterns of one process */

#define WORK_PER_UPDATE ((size_t)4096 * WORK_OF_LOOK) /* takes some 150 ms */
#define TIME_PER_UPDATE (NS_PER_SECOND / 4)

/* So long at most a reload keeps all others waiting. */
#define TIME_OF_CONTINUING (2 * NS_PER_SECOND)

/*
 * One following takes some milliseconds, by which the next cycle may be late. All followings
 * together may do half as much as an update.
 */
#define WORK_PER_FOLLOWING   ((size_t)128 * WORK_OF_LOOK)
#define TIME_PER_FOLLOWING   (NS_PER_SECOND / 40)
#define WORK_WITH_FOLLOWINGS (WORK_PER_UPDATE + WORK_PER_UPDATE / 2)

void process_begin_turns(struct process_targets *set)
{
    set->work = 0;
    set->most_work = WORK_PER_UPDATE;
    set->work_end_ns = clock_monotonic_ns() + TIME_PER_UPDATE;
    set->continuing_end_ns = clock_monotonic_ns() + TIME_OF_CONTINUING;
}

void process_begin_following(struct process_targets *set)
{
    const size_t wanted = set->work + WORK_PER_FOLLOWING;

    set->most_work = wanted < WORK_WITH_FOLLOWINGS ? wanted : WORK_WITH_FOLLOWINGS;
    set->work_end_ns = clock_monotonic_ns() + TIME_PER_FOLLOWING;
}

bool process_may_follow(const struct process_targets *set)
{
    return !TAILQ_EMPTY(&set->turns) && set->work < WORK_WITH_FOLLOWINGS;
}

/* Whether it goes before all turns. It does so once. */
static bool is_to_continue(const struct process_targets *set, const struct process_node *node)
{
    const struct process_node *before =
        set->predecessor && !node->has_continued ? process_find(set->predecessor, node->pid) : NULL;

    return before && before->counted && !before->left_out;
}

static void join_queue(struct process_targets *set, struct process_node *node,
                       struct process_tenant *tenant, bool first, bool only_name)
{
    if (TAILQ_EMPTY(&tenant->to_look)) {
        TAILQ_INSERT_TAIL(&set->turns, tenant, turn);
        if (tenant->credit > 0)
            tenant->credit = 0;
    }
    if (first)
        TAILQ_INSERT_HEAD(&tenant->to_look, node, to_look);
    else
        TAILQ_INSERT_TAIL(&tenant->to_look, node, to_look);
    node->looked_at_with = tenant;
    node->only_name = only_name;
    set->census.put_off += !only_name;
}

static void leave_queue(struct process_targets *set, struct process_node *node)
{
    struct process_tenant *tenant = TAKE(node->looked_at_with);

    TAILQ_REMOVE(&tenant->to_look, node, to_look);
    set->census.put_off -= !node->only_name;
    if (TAILQ_EMPTY(&tenant->to_look))
        TAILQ_REMOVE(&set->turns, tenant, turn);
    process_tenant_drop(set, tenant);
}

static void enqueue(struct process_targets *set, struct process_node *node, bool only_name)
{
    struct process_tenant *tenant = NULL;

    process_note_owner(set, node);
    if (is_to_continue(set, node)) {
        node->has_continued = true;
        tenant = &set->continuing;
    } else if (!node->unowned) {
        tenant = process_tenant_get(set, node->uid);
    }
    join_queue(set, node, tenant ? tenant : &set->nobody, false, only_name);
}

void process_enqueue(struct process_targets *set, struct process_node *node)
{
    if (!node->looked_at_with) {
        enqueue(set, node, false);
        return;
    }
    set->census.put_off += node->only_name;
    node->only_name = false;
}

void process_enqueue_name(struct process_targets *set, struct process_node *node)
{
    if (!node->looked_at_with)
        enqueue(set, node, true);
}

void process_dequeue(struct process_targets *set, struct process_node *node)
{
    if (node->looked_at_with)
        leave_queue(set, node);
    node->behind_parent = false;
}

void process_put_before(struct process_targets *set, struct process_node *first,
                        const struct process_node *second)
{
    struct process_tenant *tenant = second->looked_at_with;

    leave_queue(set, first); /* `tenant` is not freed, because the second is in its queue */
    join_queue(set, first, tenant, true, false);
}

struct process_node *process_next_turn(struct process_targets *set)
{
    struct process_tenant *tenant = &set->continuing;

    if (!TAILQ_EMPTY(&tenant->to_look) && clock_monotonic_ns() < set->continuing_end_ns) {
        set->served = tenant;
        return TAILQ_FIRST(&tenant->to_look);
    }
    if (set->work >= set->most_work || clock_monotonic_ns() >= set->work_end_ns)
        return NULL;
    while ((tenant = TAILQ_FIRST(&set->turns)) && tenant->credit <= 0) {
        tenant->credit += WORK_OF_TURN;
        TAILQ_REMOVE(&set->turns, tenant, turn);
        TAILQ_INSERT_TAIL(&set->turns, tenant, turn);
    }
    set->served = tenant;
    return tenant ? TAILQ_FIRST(&tenant->to_look) : NULL;
}

size_t process_most_work(const struct process_targets *set)
{
    size_t left = set->work < set->most_work ? set->most_work - set->work : 1;

    if (set->served == &set->continuing)
        return (size_t)WORK_OF_TURN;
    return left < MOST_WORK_AT_ONCE ? left : MOST_WORK_AT_ONCE;
}

void process_pay(struct process_targets *set, size_t work, bool only_name)
{
    struct process_tenant *tenant = TAKE(set->served);

    work += only_name ? WORK_OF_NAME : WORK_OF_LOOK;
    set->work += work;
    tenant->credit -= (int64_t)work;
    process_tenant_drop(set, tenant);
}
