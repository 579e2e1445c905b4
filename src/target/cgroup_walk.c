/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "target/cgroup_set.h"

/*
 * Finds out which cgroups exist. A directory is watched before it is read, so that nothing that is
 * born in between is missed. Such a cgroup is seen twice, and events may be old when they are read.
 * So an event is never believed: it only says where to look. What counts is what is there now,
 * known by its inode, and looking twice does no harm. Therefore a directory may be read again at
 * any time, which mends an overflow of inotify, watches beyond its limit, and anything else missed.
 */

/* More events than the kernel queues by default. The rest waits for the next update. */
#define EVENTS_PER_UPDATE 32768

/* These take some milliseconds, by which they may delay a cycle that begins just then. */
#define EVENTS_PER_FOLLOWING 256

static void enqueue(struct cgroup_targets *set, struct cgroup_node *node)
{
    if (node->queued)
        return;
    node->queued = true;
    TAILQ_INSERT_TAIL(&set->to_list, node, to_list);
}

static void dequeue(struct cgroup_targets *set, struct cgroup_node *node)
{
    TAILQ_REMOVE(&set->to_list, node, to_list);
    node->queued = false;
}

/* Makes a target of a wanted node. If its cgroup does not exist, forgets the node. 0 or -ENOMEM. */
static int admit(struct cgroup_targets *set, struct cgroup_node *node, bool *ret_absent)
{
    int r = cgroup_admit(set, node);

    *ret_absent = r == CGROUP_ABSENT;
    if (*ret_absent) {
        if (!node->refused)
            set->census.dropped[ABSENCE_TARGET_GONE]++;
        cgroup_forget(set, node);
    }
    return r < 0 ? r : 0;
}

/* Whether a rule wants this child of `parent`, or something below it. */
static int ask_rules(struct cgroup_targets *set, const struct cgroup_node *parent, const char *name,
                     int *ret_rule, bool *ret_walked)
{
    const char *path = cgroup_node_path(parent, name, &set->path);

    if (!path)
        return -ENOMEM;
    *ret_rule = cgroup_rules_match(set->rules, path);
    *ret_walked = cgroup_rules_may_match_below(set->rules, path);
    return 0;
}

/* Adds a node for a cgroup that was found, if a rule wants it. An inode of 0 is not known. */
static int add_child(struct cgroup_targets *set, struct cgroup_node *parent, const char *name,
                     uint64_t inode)
{
    struct cgroup_node *node;
    bool walked, absent = false;
    int rule, r;

    r = ask_rules(set, parent, name, &rule, &walked);
    if (r < 0 || (rule < 0 && !walked))
        return r;
    if (!cgroup_tree_has_room(&set->tree, parent, name)) {
        cgroup_leave_out(set, parent);
        return 0;
    }
    r = cgroup_tree_add(&set->tree, parent, name, &node);
    if (r < 0)
        return r;
    node->rule = rule;
    node->walked = walked;
    node->inode = inode;
    node->seen = set->listing;
    if (rule >= 0)
        r = admit(set, node, &absent);
    if (!absent && walked)
        enqueue(set, node);
    return r;
}

/*
 * Looks whether the cgroup of a known child is still the one that exists now. may_be_gone says that
 * an event told of an end: then a want of descriptors is no reason to keep it. If it is still
 * there, the end was that of another one of its name, which nobody has seen.
 */
static int check_child(struct cgroup_targets *set, struct cgroup_node *child, const char *name,
                       bool may_be_gone)
{
    struct cgroup_node *parent = child->parent;
    const char *path = cgroup_node_path(child, NULL, &set->path);
    enum cgroup_outcome outcome;
    AUTO_CLOSE int fd = -1;
    uint64_t inode;

    if (!path)
        return -ENOMEM;
    outcome = cgroup_open(set, path, &fd, &inode);
    if (outcome == CGROUP_ABSENT || (outcome == CGROUP_STARVED && may_be_gone)) {
        cgroup_forget(set, child);
        return 0;
    }
    if (outcome != CGROUP_DONE) {
        set->rescan = true;
        return 0;
    }
    if (child->inode == 0)
        child->inode = inode;
    if (child->inode == inode) {
        if (may_be_gone && child->rule >= 0)
            set->census.dropped[ABSENCE_TARGET_GONE]++;
        return 0;
    }
    cgroup_forget(set, child);
    return add_child(set, parent, name, inode);
}

/* A cgroup without node has gone. If it had been left out, one less is. */
static int unknown_child_gone(struct cgroup_targets *set, struct cgroup_node *parent,
                              const char *name)
{
    bool walked;
    int rule, r;

    if (parent->left_out == 0)
        return 0;
    r = ask_rules(set, parent, name, &rule, &walked);
    if (r == 0 && (rule >= 0 || walked))
        cgroup_left_out_gone(set, parent);
    return r;
}

static int take_event(struct cgroup_targets *set, const struct directory_event *event)
{
    struct cgroup_node *parent, *child;
    int r;

    if (event->kind == DIRECTORY_EVENT_OVERFLOW) {
        set->rescan = true;
        return 0;
    }
    parent = cgroup_tree_find_watch(&set->tree, event->id);
    if (!parent)
        return 0;
    if (event->kind == DIRECTORY_EVENT_ENDED) {
        (void)cgroup_tree_set_watch(&set->tree, parent, -1);
        enqueue(set, parent);
        return 0;
    }
    r = cgroup_tree_find(&set->tree, parent, event->name, &child);
    if (r < 0)
        return r;
    if (child)
        return check_child(set, child, event->name, event->kind == DIRECTORY_EVENT_GONE);
    if (event->kind == DIRECTORY_EVENT_GONE)
        return unknown_child_gone(set, parent, event->name);
    return add_child(set, parent, event->name, 0);
}

static int take_events(struct cgroup_targets *set, int most)
{
    struct directory_event event;
    int r = 0;

    for (int n = 0; n < most && r == 0; n++) {
        r = directory_watch_next(set->watch, &event);
        if (r <= 0)
            return r;
        r = take_event(set, &event);
    }
    return r;
}

/* Watches the directory that is read next, as far as inotify allows. 0 or -ENOMEM. */
static int watch_node(struct cgroup_targets *set, struct cgroup_node *node, int fd)
{
    int id = -1, r;

    if (!set->watch || (set->watches_used_up && node->watch < 0)) {
        set->unwatched = true;
        return 0;
    }
    r = directory_watch_add(set->watch, fd, &id);
    if (r == DIRECTORY_WATCH_ADDED)
        return cgroup_tree_set_watch(&set->tree, node, id);
    if (r == DIRECTORY_WATCH_LIMIT)
        set->watches_used_up = true;
    if (node->watch < 0)
        set->unwatched = true;
    return 0;
}

/* Compares one entry of the directory that is being read with what is known. 0 or -errno. */
static int take_entry(struct cgroup_targets *set, struct cgroup_node *parent,
                      const struct directory_entry *entry)
{
    struct cgroup_node *child;
    bool absent = false;
    int r = cgroup_tree_find(&set->tree, parent, entry->name, &child);

    if (r < 0)
        return r;
    if (child && child->inode == 0)
        child->inode = entry->inode;
    if (child && child->inode != entry->inode) {
        cgroup_forget(set, child);
        child = NULL;
    }
    if (!child)
        return add_child(set, parent, entry->name, entry->inode);
    child->seen = set->listing;
    if (child->rule >= 0 && !child->counted && child->waiting == WAITING_NOWHERE)
        r = admit(set, child, &absent);
    if (!absent && child->walked && child->scan != set->scan)
        enqueue(set, child);
    return r;
}

/* Forgets the children that the reading of the directory did not find. */
static void forget_unseen_children(struct cgroup_targets *set, struct cgroup_node *parent)
{
    struct cgroup_node *child = LIST_FIRST(&parent->children), *next;

    for (; child; child = next) {
        next = LIST_NEXT(child, sibling);
        if (child->seen != set->listing)
            cgroup_forget(set, child);
    }
}

static void forget_left_out(struct cgroup_targets *set, struct cgroup_node *node)
{
    node->left_out_before = node->left_out;
    while (node->left_out > 0)
        cgroup_left_out_gone(set, node);
}

static int take_entries(struct cgroup_targets *set, struct cgroup_node *node, int fd)
{
    struct directory_entry entry;
    int r;

    directory_entries_init(&set->entries, fd);
    while ((r = directory_entries_next(&set->entries, &entry)) > 0) {
        r = take_entry(set, node, &entry);
        if (r < 0)
            return r;
    }
    return r;
}

/* Reads a directory, which is watched by now if that is possible. 0 or -ENOMEM. */
static int read_directory(struct cgroup_targets *set, struct cgroup_node *node, int fd)
{
    int r = 0;

    set->listing++;
    forget_left_out(set, node);
    if (!directory_is_leaf(fd))
        r = take_entries(set, node, fd);
    node->left_out_before = 0;
    if (r == -ENOMEM)
        return r;
    if (r == 0)
        forget_unseen_children(set, node);
    else /* the directory was removed meanwhile, most likely: an event or the next walk tells */
        set->rescan = set->rescan || node->watch < 0;
    return 0;
}

/* Another directory is where the node's was: forgets the node and adds one for the other cgroup. */
static int replace(struct cgroup_targets *set, struct cgroup_node *node, uint64_t inode)
{
    struct cgroup_node *parent = node->parent;
    AUTO_FREE char *name = strdup(node->name);

    if (!name)
        return -ENOMEM;
    cgroup_forget(set, node);
    return add_child(set, parent, name, inode);
}

/*
 * Decides what follows if a directory could not be opened. CGROUP_STARVED ends the reading of
 * directories in this update; 0 goes on; -errno ends the update.
 */
static int cannot_list(struct cgroup_targets *set, struct cgroup_node *node,
                       enum cgroup_outcome outcome)
{
    if (outcome == CGROUP_STARVED)
        return CGROUP_STARVED;
    dequeue(set, node);
    if (node == set->tree.root)
        return outcome == CGROUP_FORBIDDEN ? -EACCES : -ENOENT;
    if (outcome == CGROUP_ABSENT)
        cgroup_forget(set, node);
    return 0;
}

/* Watches the directory, then reads it. 0, CGROUP_STARVED, or -errno. */
static int list(struct cgroup_targets *set, struct cgroup_node *node)
{
    const char *path = cgroup_node_path(node, NULL, &set->path);
    enum cgroup_outcome outcome;
    AUTO_CLOSE int fd = -1;
    uint64_t inode;
    int r;

    if (!path)
        return -ENOMEM;
    outcome = cgroup_open(set, path, &fd, &inode);
    if (outcome != CGROUP_DONE)
        return cannot_list(set, node, outcome);
    if (node->inode == 0)
        node->inode = inode;
    if (node->inode != inode && node->parent)
        return replace(set, node, inode);
    dequeue(set, node);
    node->scan = set->scan;
    r = watch_node(set, node, fd);
    return r < 0 ? r : read_directory(set, node, fd);
}

static int list_queued(struct cgroup_targets *set)
{
    struct cgroup_node *node;

    while ((node = TAILQ_FIRST(&set->to_list))) {
        int r = list(set, node);

        if (r < 0 || r == CGROUP_STARVED)
            return r < 0 ? r : 0;
    }
    return 0;
}

static bool rescan_is_due(const struct cgroup_targets *set)
{
    return set->rescan || !set->census.watching ||
           clock_monotonic_ns() - set->last_scan_ns >= set->rescan_interval_ns;
}

static void begin_rescan(struct cgroup_targets *set)
{
    set->rescan = false;
    set->unwatched = set->watches_used_up = false;
    set->last_scan_ns = clock_monotonic_ns();
    set->scan++;
    set->census.rescans++;
    /* without inotify each update walks the tree and tries again to get it */
    if (!set->watch)
        (void)directory_watch_new(&set->watch);
    enqueue(set, set->tree.root);
}

int cgroup_walk(struct cgroup_targets *set, bool look)
{
    bool ask = set->watch && (look || directory_watch_is_pending(set->watch));
    int r = ask ? take_events(set, EVENTS_PER_UPDATE) : 0;

    if (r < 0)
        return r;
    if (rescan_is_due(set))
        begin_rescan(set);
    r = list_queued(set);
    set->census.watching = set->watch && !set->unwatched;
    return r;
}

int cgroup_walk_on(struct cgroup_targets *set)
{
    int r = set->watch ? take_events(set, EVENTS_PER_FOLLOWING) : 0;

    return r < 0 ? r : list_queued(set);
}
