/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The cgroups that have slots are a tree of their own: the parent of a cgroup is the nearest one
 * above it that has a slot, whatever lies between them on the machine. A new cgroup may come
 * between a parent and its children.
 */
#include "count/bpf/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "base/tree.h"

LIST_HEAD(slot_children, slot_node);

struct slot_node {
    uint64_t id;
    struct slot_node *parent; /* NULL: no target contains it */
    struct slot_children children;
    LIST_ENTRY(slot_node) sibling;
    LIST_ENTRY(slot_node) unused_entry; /* in the list of slots without users */
    struct cgroup_lineage *lineage;     /* NULL: the slot is free */
    size_t n_users;                     /* 0: it is folded soon, unless a user comes before that */
    uint64_t *folded;  /* [cpu][lane], the counts of folded slots; NULL: there are none */
    UT_hash_handle hh; /* by id */
};

struct bpf_slots {
    struct slot_cells cells;
    struct slot_latencies *latencies; /* borrowed */
    bool are_looked_at;               /* all slots were looked at since the last refresh */
    struct slot_node *nodes;          /* [slot] */
    size_t *free_slots;
    size_t n_free;
    struct slot_node *by_id;
    struct slot_children tops;   /* the slots without a parent */
    struct slot_children unused; /* the slots without users */
};

struct bpf_slots *bpf_slots_new(const struct slot_cells *cells, struct slot_latencies *latencies)
{
    AUTO(bpf_slots) struct bpf_slots *slots = calloc(1, sizeof(*slots));

    if (!slots)
        return NULL;
    slots->cells = *cells;
    slots->latencies = latencies;
    slots->nodes = calloc(cells->n_slots, sizeof(*slots->nodes));
    slots->free_slots = calloc(cells->n_slots, sizeof(*slots->free_slots));
    if (!slots->nodes || !slots->free_slots)
        return NULL;
    for (size_t slot = cells->n_slots - 1; slot >= cells->n_reserved; slot--)
        slots->free_slots[slots->n_free++] = slot;
    return TAKE(slots);
}

struct bpf_slots *bpf_slots_free(struct bpf_slots *slots)
{
    if (!slots)
        return NULL;
    HASH_CLEAR(hh, slots->by_id);
    for (size_t i = 0; slots->nodes && i < slots->cells.n_slots; i++) {
        (void)cgroup_lineage_free(slots->nodes[i].lineage);
        free(slots->nodes[i].folded);
    }
    free(slots->nodes);
    free(slots->free_slots);
    free(slots);
    return NULL;
}

static size_t slot_of(const struct bpf_slots *slots, const struct slot_node *node)
{
    return (size_t)(node - slots->nodes);
}

static uint64_t *cell_of(const struct bpf_slots *slots, size_t slot, size_t cpu)
{
    return slots->cells.lanes + (cpu * slots->cells.n_slots + slot) * slots->cells.n_lanes;
}

static struct slot_children *siblings_of(struct bpf_slots *slots, struct slot_node *parent)
{
    return parent ? &parent->children : &slots->tops;
}

/* Ids of cgroups are counted up in their lower half; the upper half is a generation. */
static unsigned hash_id(uint64_t id)
{
    return (unsigned)(id ^ id >> 32);
}

static struct slot_node *find(const struct bpf_slots *slots, uint64_t id)
{
    struct slot_node *node;

    HASH_FIND_BYHASHVALUE(hh, slots->by_id, &id, sizeof(id), hash_id(id), node);
    return node;
}

/* Whether the one cgroup is an ancestor of the other. */
static bool contains(const struct cgroup_lineage *above, const struct cgroup_lineage *below)
{
    return below->n > above->n && below->ids[above->n - 1] == cgroup_lineage_id(above);
}

static struct slot_node *nearest_above(const struct bpf_slots *slots,
                                       const struct cgroup_lineage *lineage)
{
    for (size_t i = lineage->n - 1; i-- > 0;) {
        struct slot_node *node = find(slots, lineage->ids[i]);

        if (node)
            return node;
    }
    return NULL;
}

/* Makes a node the child of another parent. above: NULL: of none. */
static void move_below(struct bpf_slots *slots, struct slot_node *child, struct slot_node *above)
{
    LIST_REMOVE(child, sibling);
    child->parent = above;
    LIST_INSERT_HEAD(siblings_of(slots, above), child, sibling);
}

/* Puts a node below its parent, and below the node those of its siblings that it contains. */
static void insert(struct bpf_slots *slots, struct slot_node *node)
{
    struct slot_children *siblings;
    struct slot_node *child, *next;

    node->parent = nearest_above(slots, node->lineage);
    siblings = siblings_of(slots, node->parent);
    for (child = LIST_FIRST(siblings); child; child = next) {
        next = LIST_NEXT(child, sibling);
        if (contains(node->lineage, child->lineage))
            move_below(slots, child, node);
    }
    LIST_INSERT_HEAD(siblings, node, sibling);
}

static struct cgroup_lineage *copy_lineage(const struct cgroup_lineage *lineage)
{
    size_t size = sizeof(*lineage) + lineage->n * sizeof(*lineage->ids);
    struct cgroup_lineage *copy = malloc(size);

    if (copy)
        memcpy(copy, lineage, size);
    return copy;
}

/* Gives a free slot to a cgroup. 0, -ENOSPC or -ENOMEM. */
static int add_node(struct bpf_slots *slots, const struct cgroup_lineage *lineage,
                    struct slot_node **ret_node)
{
    struct slot_node *node;

    if (slots->n_free == 0)
        return -ENOSPC;
    node = &slots->nodes[slots->free_slots[slots->n_free - 1]];
    *node = (struct slot_node){.id = cgroup_lineage_id(lineage), .lineage = copy_lineage(lineage)};
    if (!node->lineage)
        return -ENOMEM;
    HASH_ADD_BYHASHVALUE(hh, slots->by_id, id, sizeof(node->id), hash_id(node->id), node);
    if (!node->hh.tbl) {
        node->lineage = cgroup_lineage_free(node->lineage);
        return -ENOMEM;
    }
    slots->n_free--;
    slot_latencies_begin(slots->latencies, slot_of(slots, node));
    insert(slots, node);
    *ret_node = node;
    return 0;
}

/* A slot that has lost its users and is not folded yet goes on with its counts. */
int bpf_slots_enter(struct bpf_slots *slots, const struct cgroup_lineage *lineage, size_t *ret_slot,
                    bool *ret_new)
{
    struct slot_node *node = find(slots, cgroup_lineage_id(lineage));
    int r = 0;

    if (!node)
        r = add_node(slots, lineage, &node);
    else if (node->n_users == 0)
        LIST_REMOVE(node, unused_entry);
    if (r < 0)
        return r;
    *ret_new = node->n_users == 0;
    node->n_users++;
    *ret_slot = slot_of(slots, node);
    return 0;
}

void bpf_slots_share(struct bpf_slots *slots, size_t slot)
{
    slots->nodes[slot].n_users++;
}

bool bpf_slots_leave(struct bpf_slots *slots, size_t slot)
{
    struct slot_node *node = &slots->nodes[slot];

    if (--node->n_users > 0)
        return false;
    LIST_INSERT_HEAD(&slots->unused, node, unused_entry);
    return true;
}

bool bpf_slots_any_unused(const struct bpf_slots *slots)
{
    return !LIST_EMPTY(&slots->unused);
}

/* Adds the counts of a slot, and of slots that were folded into it, to its parent. */
static int add_to_parent(struct bpf_slots *slots, const struct slot_node *node)
{
    const size_t n_lanes = slots->cells.n_lanes;
    struct slot_node *parent = node->parent;

    if (!parent)
        return 0;
    if (!parent->folded)
        parent->folded = calloc(slots->cells.n_cpus * n_lanes, sizeof(*parent->folded));
    if (!parent->folded)
        return -ENOMEM;
    for (size_t cpu = 0; cpu < slots->cells.n_cpus; cpu++) {
        const uint64_t *cell = cell_of(slots, slot_of(slots, node), cpu);

        for (size_t lane = 0; lane < n_lanes; lane++)
            parent->folded[cpu * n_lanes + lane] +=
                cell[lane] + (node->folded ? node->folded[cpu * n_lanes + lane] : 0);
    }
    return 0;
}

/* Frees a slot. Its children go to its parent. */
static void release(struct bpf_slots *slots, struct slot_node *node)
{
    const size_t slot = slot_of(slots, node);
    struct slot_node *child;

    HASH_DEL(slots->by_id, node);
    while ((child = LIST_FIRST(&node->children)))
        move_below(slots, child, node->parent);
    LIST_REMOVE(node, sibling);
    LIST_REMOVE(node, unused_entry);
    for (size_t cpu = 0; cpu < slots->cells.n_cpus; cpu++)
        memset(cell_of(slots, slot, cpu), 0, slots->cells.n_lanes * sizeof(uint64_t));
    node->lineage = cgroup_lineage_free(node->lineage);
    free(TAKE(node->folded));
    slots->free_slots[slots->n_free++] = slot;
}

/*
 * Brings the latencies of a slot to the present, and with them those of all slots that contain it.
 * What cgroups count is the machine's, too.
 */
static void look_at(struct bpf_slots *slots, size_t slot)
{
    const struct slot_node *node = &slots->nodes[slot];
    struct latencies delta;

    if (!slot_latencies_look(slots->latencies, slot, &delta))
        return;
    for (const struct slot_node *above = node->parent; above; above = above->parent)
        slot_latencies_add(slots->latencies, slot_of(slots, above), &delta);
    if (slot != SWITCH_PROGRAM_REST && !(node->id & BPF_PROCESS_ID))
        slot_latencies_add(slots->latencies, SWITCH_PROGRAM_REST, &delta);
}

size_t bpf_slots_parent(const struct bpf_slots *slots, size_t slot)
{
    const struct slot_node *parent = slots->nodes[slot].parent;

    return parent ? slot_of(slots, parent) : SWITCH_PROGRAM_REST;
}

void bpf_slots_fold(struct bpf_slots *slots, bpf_slots_farewell *farewell, void *context)
{
    struct slot_node *node, *next;

    for (node = LIST_FIRST(&slots->unused); node; node = next) {
        next = LIST_NEXT(node, unused_entry);
        if (add_to_parent(slots, node) < 0)
            continue;
        if (farewell)
            farewell(context, slot_of(slots, node));
        look_at(slots, slot_of(slots, node));
        slot_latencies_end(slots->latencies, slot_of(slots, node));
        release(slots, node);
    }
}

uint64_t bpf_slots_id(const struct bpf_slots *slots, size_t slot)
{
    return slots->nodes[slot].id;
}

uint64_t bpf_slots_sum(const struct bpf_slots *slots, size_t slot, size_t cpu, size_t lane)
{
    const struct slot_node *top = &slots->nodes[slot];
    uint64_t sum = 0;

    for (const struct slot_node *node = top; node; node = TREE_NEXT(top, node)) {
        const uint64_t *own = cell_of(slots, slot_of(slots, node), cpu) + lane;

        sum += __atomic_load_n(own, __ATOMIC_RELAXED);
        sum += node->folded ? node->folded[cpu * slots->cells.n_lanes + lane] : 0;
    }
    return sum;
}

void bpf_slots_note_refresh(struct bpf_slots *slots)
{
    slots->are_looked_at = false;
}

static void look_at_all(struct bpf_slots *slots)
{
    for (size_t slot = 0; slot < slots->cells.n_slots; slot++)
        look_at(slots, slot);
    slots->are_looked_at = true;
}

const struct latencies *bpf_slots_latencies(struct bpf_slots *slots, size_t slot)
{
    if (!slots->are_looked_at)
        look_at_all(slots);
    else if (slot != SWITCH_PROGRAM_REST)
        look_at(slots, slot);
    return slot_latencies_of(slots->latencies, slot);
}

const struct latencies *bpf_slots_latencies_now(struct bpf_slots *slots, size_t slot)
{
    const struct slot_node *top = &slots->nodes[slot];

    if (slot == SWITCH_PROGRAM_REST)
        look_at_all(slots);
    else
        for (const struct slot_node *node = top; node; node = TREE_NEXT(top, node))
            look_at(slots, slot_of(slots, node));
    return slot_latencies_of(slots->latencies, slot);
}

void bpf_slots_clear_lanes(struct bpf_slots *slots, size_t first, size_t n)
{
    for (size_t slot = 0; slot < slots->cells.n_slots; slot++)
        for (size_t cpu = 0; cpu < slots->cells.n_cpus; cpu++) {
            uint64_t *folded = slots->nodes[slot].folded;

            memset(cell_of(slots, slot, cpu) + first, 0, n * sizeof(uint64_t));
            if (folded)
                memset(folded + cpu * slots->cells.n_lanes + first, 0, n * sizeof(uint64_t));
        }
}
