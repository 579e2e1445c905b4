/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/stat.h>

#include "base/share.h"
#include "sys/cgroup_root.h"
#include "sys/descriptors.h"
#include "target/cgroup_set.h"

/*
 * Decides which of the cgroups that the rules want are counted. Whoever is a target stays one. A
 * cgroup beyond a limit becomes a candidate of its subtree, and is tried again only after a target
 * has ended. So a user who makes thousands of cgroups costs nothing while nothing changes, and
 * takes nobody else's place.
 */

enum cgroup_outcome cgroup_open(const struct cgroup_targets *set, const char *path, int *ret_fd,
                                uint64_t *ret_inode)
{
    AUTO_CLOSE int fd = descriptor_lift(cgroup_open_below(set->root_fd, path[1] ? path + 1 : "."));
    struct stat status;

    if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM)
        return CGROUP_STARVED;
    if (fd == -EACCES || fd == -EPERM)
        return CGROUP_FORBIDDEN;
    if (fd < 0 || fstat(fd, &status) < 0)
        return CGROUP_ABSENT;
    *ret_inode = status.st_ino;
    *ret_fd = TAKE_FD(fd);
    return CGROUP_DONE;
}

static void leave_queue(struct cgroup_targets *set, struct cgroup_node *node)
{
    const enum cgroup_waiting kind = node->waiting;
    struct cgroup_subtree *subtree = node->subtree;

    if (kind == WAITING_NOWHERE)
        return;
    TAILQ_REMOVE(&subtree->waiting[kind], node, waiting_entry);
    if (TAILQ_EMPTY(&subtree->waiting[kind]))
        TAILQ_REMOVE(&set->with_waiting[kind], subtree, with_waiting[kind]);
    node->waiting = WAITING_NOWHERE;
}

static void set_uncounted(struct cgroup_targets *set, struct cgroup_node *node, enum absence reason)
{
    if (node->uncounted != ABSENCE_NONE)
        set->census.uncounted[node->uncounted]--;
    if (reason != ABSENCE_NONE)
        set->census.uncounted[reason]++;
    node->uncounted = reason;
}

/* Counts the node as uncounted for this reason, and lets it wait in the queue of this kind. */
static void let_wait(struct cgroup_targets *set, struct cgroup_node *node, enum absence reason,
                     enum cgroup_waiting kind)
{
    struct cgroup_subtree *subtree = node->subtree;

    set_uncounted(set, node, reason);
    if (!node->refused)
        set->census.dropped[reason]++;
    node->refused = true;
    node->waiting = kind;
    if (kind == WAITING_NOWHERE)
        return;
    if (TAILQ_EMPTY(&subtree->waiting[kind]))
        TAILQ_INSERT_TAIL(&set->with_waiting[kind], subtree, with_waiting[kind]);
    TAILQ_INSERT_TAIL(&subtree->waiting[kind], node, waiting_entry);
}

/* How many targets the subtree may have, beside what others have of what it is limited by. */
static size_t most_targets(const struct cgroup_targets *set, const struct cgroup_subtree *subtree)
{
    const struct cgroup_subtree *within = subtree->within;
    const size_t limit = within ? most_targets(set, within) : set->limits.targets;
    const size_t all = within ? within->targets : set->census.standing;
    const size_t most = share_left(limit, all - subtree->targets);

    return within || most < set->limits.per_subtree ? most : set->limits.per_subtree;
}

static bool is_full(const struct cgroup_targets *set, const struct cgroup_subtree *subtree)
{
    return subtree->targets >= most_targets(set, subtree) ||
           (subtree->within && is_full(set, subtree->within));
}

/* Why the subtree has no room for one more target, or ABSENCE_NONE if it has. */
static enum absence lack_of_room(const struct cgroup_targets *set,
                                 const struct cgroup_subtree *subtree)
{
    const size_t standing = set->census.standing, until_next = set->limits.until_next;

    if (is_full(set, subtree) || standing >= set->limits.targets)
        return set->limits.reason;
    return until_next && standing >= until_next ? ABSENCE_NO_MEMORY : ABSENCE_NONE;
}

/* Enters the target everywhere that it is counted and found. */
static void enter_target(struct cgroup_targets *set, struct cgroup_node *node,
                         struct counted_cgroup *counted)
{
    set_uncounted(set, node, ABSENCE_NONE);
    node->counted = counted;
    counted->node = node;
    node->inode = counted->target.inode;
    for (struct cgroup_subtree *subtree = node->subtree; subtree; subtree = subtree->within)
        subtree->targets++;
    set->census.standing++;
    LIST_INSERT_HEAD(&set->all, counted, entry);
    set->n_all++;
    target_news_add_birth(&set->news, counted);
}

/* Makes a target of the node, whose directory is open. Returns an outcome or -ENOMEM. */
static int make_target(struct cgroup_targets *set, struct cgroup_node *node, const char *path,
                       uint64_t inode, int *fd)
{
    AUTO(counted_cgroup) struct counted_cgroup *counted = NULL;

    if (target_news_reserve(&set->news, set->census.standing) < 0 ||
        counted_cgroup_new(node, path, *fd, inode, &counted) < 0)
        return -ENOMEM;
    *fd = -1;
    if (cgroup_ask_for_names(set, counted) < 0)
        return -ENOMEM;
    if (cgroup_label_is_taken(set, &counted->target)) {
        let_wait(set, node, ABSENCE_OVER_LIMIT, WAITING_NOWHERE);
        return CGROUP_DONE;
    }
    enter_target(set, node, TAKE(counted));
    /* targets below a node that waited have a nearer parent now */
    if (!LIST_EMPTY(&node->children) && cgroup_relabel(set, node) < 0)
        set->relabel = true;
    return CGROUP_DONE;
}

int cgroup_admit(struct cgroup_targets *set, struct cgroup_node *node)
{
    AUTO_CLOSE int fd = -1;
    enum cgroup_outcome outcome;
    enum absence reason;
    const char *path;
    uint64_t inode = 0;

    leave_queue(set, node);
    reason = lack_of_room(set, node->subtree);
    if (reason != ABSENCE_NONE) {
        let_wait(set, node, reason, WAITING_FOR_ROOM);
        return CGROUP_DONE;
    }
    path = cgroup_node_path(node, NULL, &set->path);
    if (!path)
        return -ENOMEM;
    outcome = cgroup_open(set, path, &fd, &inode);
    if (outcome == CGROUP_STARVED)
        let_wait(set, node, ABSENCE_NO_DESCRIPTORS, WAITING_FOR_DESCRIPTORS);
    else if (outcome == CGROUP_FORBIDDEN)
        let_wait(set, node, ABSENCE_NOT_PERMITTED, WAITING_NOWHERE);
    if (outcome != CGROUP_DONE)
        return (int)outcome;
    /* it is another cgroup under the same name: inotify, or the next walk, tells of that one */
    if (node->inode != 0 && inode != node->inode)
        return CGROUP_ABSENT;
    return make_target(set, node, path, inode, &fd);
}

static int admit_one_waiting(struct cgroup_targets *set, struct cgroup_node *node)
{
    int r = cgroup_admit(set, node);

    if (r == CGROUP_ABSENT && node->parent)
        cgroup_forget(set, node);
    return r;
}

/* The subtree that has the next turn, which is its last one for now. NULL: nobody waits. */
static struct cgroup_subtree *next_turn(struct cgroup_targets *set, enum cgroup_waiting kind)
{
    struct cgroup_subtrees *all = &set->with_waiting[kind];
    struct cgroup_subtree *subtree = TAILQ_FIRST(all);

    if (subtree) {
        TAILQ_REMOVE(all, subtree, with_waiting[kind]);
        TAILQ_INSERT_TAIL(all, subtree, with_waiting[kind]);
    }
    return subtree;
}

/* It comes first once more: it could not use its turn. */
static void give_back_turn(struct cgroup_targets *set, struct cgroup_subtree *subtree,
                           enum cgroup_waiting kind)
{
    struct cgroup_subtrees *all = &set->with_waiting[kind];

    TAILQ_REMOVE(all, subtree, with_waiting[kind]);
    TAILQ_INSERT_HEAD(all, subtree, with_waiting[kind]);
}

/* Tries one of each subtree in turn until a descriptor is missing. An outcome or -ENOMEM. */
static int admit_starved(struct cgroup_targets *set)
{
    const enum cgroup_waiting kind = WAITING_FOR_DESCRIPTORS;
    struct cgroup_subtree *subtree;
    int r = CGROUP_DONE;

    while (r >= 0 && r != CGROUP_STARVED && (subtree = next_turn(set, kind))) {
        r = admit_one_waiting(set, TAILQ_FIRST(&subtree->waiting[kind]));
        if (r == CGROUP_STARVED)
            give_back_turn(set, subtree, kind);
    }
    return r;
}

/*
 * The same of those that wait for room, until there is none for any of them. A subtree may be freed
 * with its last node, so those that were passed over are forgotten with each that was tried.
 */
static int admit_refused(struct cgroup_targets *set)
{
    struct cgroup_subtree *subtree, *first_full = NULL;
    int r = CGROUP_DONE;

    while (r >= 0 && r != CGROUP_STARVED && (subtree = next_turn(set, WAITING_FOR_ROOM)) &&
           subtree != first_full) {
        if (lack_of_room(set, subtree) == ABSENCE_NONE) {
            r = admit_one_waiting(set, TAILQ_FIRST(&subtree->waiting[WAITING_FOR_ROOM]));
            first_full = NULL;
        } else if (!first_full) {
            first_full = subtree;
        }
    }
    return r;
}

int cgroup_admit_waiting(struct cgroup_targets *set)
{
    int r = admit_starved(set);

    if (r >= 0 && r != CGROUP_STARVED && set->room) {
        r = admit_refused(set);
        set->room = r < 0 || r == CGROUP_STARVED;
    }
    return r < 0 ? r : 0;
}

/* Takes the target from its node, and tells that it has ended. */
static void take_target(struct cgroup_targets *set, struct cgroup_node *node)
{
    struct counted_cgroup *counted = TAKE(node->counted);

    for (struct cgroup_subtree *subtree = node->subtree; subtree; subtree = subtree->within)
        subtree->targets--;
    set->census.standing--;
    counted->target.gone = true;
    if (target_news_add_end(&set->news, counted))
        return;
    set->census.dropped[ABSENCE_TARGET_GONE]++; /* nobody has been told of it */
    LIST_REMOVE(counted, entry);
    set->n_all--;
    (void)counted_cgroup_free(counted);
}

static void end_target(struct cgroup_targets *set, struct cgroup_node *node)
{
    if (!node->counted)
        return;
    take_target(set, node);
    set->room = true;
}

static void forget_leaf(struct cgroup_targets *set, struct cgroup_node *node)
{
    end_target(set, node);
    leave_queue(set, node);
    set_uncounted(set, node, ABSENCE_NONE);
    while (node->left_out > 0)
        cgroup_left_out_gone(set, node);
    if (node->queued)
        TAILQ_REMOVE(&set->to_list, node, to_list);
    if (set->watch && node->watch >= 0)
        directory_watch_remove(set->watch, node->watch);
    cgroup_tree_remove(&set->tree, node);
}

void cgroup_forget(struct cgroup_targets *set, struct cgroup_node *node)
{
    struct cgroup_node *at = node, *parent;
    bool last;

    do {
        while (!LIST_EMPTY(&at->children))
            at = LIST_FIRST(&at->children);
        parent = at->parent;
        last = at == node;
        forget_leaf(set, at);
        at = parent;
    } while (!last);
}

void cgroup_leave_out(struct cgroup_targets *set, struct cgroup_node *parent)
{
    set->census.uncounted[ABSENCE_OVER_LIMIT]++;
    if (++parent->left_out > parent->left_out_before)
        set->census.dropped[ABSENCE_OVER_LIMIT]++;
}

void cgroup_left_out_gone(struct cgroup_targets *set, struct cgroup_node *parent)
{
    if (parent->left_out == 0)
        return;
    parent->left_out--;
    set->census.uncounted[ABSENCE_OVER_LIMIT]--;
}

/* Whether the subtree has more targets than it may have, or one that contains it. */
static bool is_overfull(const struct cgroup_targets *set, const struct cgroup_subtree *subtree)
{
    return subtree->targets > most_targets(set, subtree) ||
           (subtree->within && is_overfull(set, subtree->within));
}

/* The first round takes from who has more than a share, the second from all; the newest first. */
static void shed_round(struct cgroup_targets *set, bool from_all)
{
    struct counted_cgroup *counted, *next;

    for (counted = LIST_FIRST(&set->all); counted && set->census.standing > set->limits.targets;
         counted = next) {
        struct cgroup_node *node = counted->node;

        next = LIST_NEXT(counted, entry);
        if (counted->target.gone || !(from_all || is_overfull(set, node->subtree)))
            continue;
        counted->target.shed = true;
        take_target(set, node);
        node->refused = false; /* so that it is counted among the dropped once more */
        let_wait(set, node, set->limits.reason, WAITING_FOR_ROOM);
    }
}

void cgroup_shed(struct cgroup_targets *set)
{
    if (set->census.standing <= set->limits.targets)
        return;
    shed_round(set, false);
    shed_round(set, true);
    set->identities_changed = set->relabel = true; /* those below it have another parent now */
}

void cgroup_rename_reason(struct cgroup_targets *set, enum absence before)
{
    struct cgroup_subtree *subtree;
    struct cgroup_node *node;

    TAILQ_FOREACH(subtree, &set->with_waiting[WAITING_FOR_ROOM], with_waiting[WAITING_FOR_ROOM])
    TAILQ_FOREACH(node, &subtree->waiting[WAITING_FOR_ROOM], waiting_entry)
    if (node->uncounted == before)
        set_uncounted(set, node, set->limits.reason);
}
