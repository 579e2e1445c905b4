/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What is known of the hierarchy: a node for each cgroup that a rule wants, or
 * below which one might. Only the tree itself, its names and its bounds in
 * memory; who becomes a target is admission's matter (cgroup_set.h).
 */

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "base/keyed_hash.h"
#include "base/text.h"
#include "base/tree.h"
#include "event/absence.h"

/* A path that is longer is not walked: memory for paths is bounded. Linux itself has no limit. */
#define CGROUP_PATH_LENGTH_MAX 16384

TAILQ_HEAD(cgroup_queue, cgroup_node);
LIST_HEAD(cgroup_children, cgroup_node);

/*
 * What a top-level cgroup and all below it have together: the unit of fair shares. Where users
 * have their cgroups, each user's has a share of that share.
 */
struct cgroup_subtree {
    struct cgroup_subtree *within;  /* the share that this is a share of; NULL: it is of all */
    size_t targets;                 /* that stand */
    size_t bytes;                   /* of nodes */
    struct cgroup_queue candidates; /* refused for a limit, oldest first */
    LIST_ENTRY(cgroup_subtree) with_candidates;
};

enum cgroup_waiting { WAITING_NOWHERE, WAITING_AS_CANDIDATE, WAITING_FOR_DESCRIPTORS };

struct cgroup_node {
    struct cgroup_subtree *subtree;
    struct cgroup_children children;
    LIST_ENTRY(cgroup_node) sibling;
    TAILQ_ENTRY(cgroup_node) to_list; /* in the queue of directories to be read, if `queued` */
    TAILQ_ENTRY(cgroup_node) waiting_entry;
    struct counted_cgroup *counted; /* its target; NULL: it has none */
    uint64_t inode;                 /* 0: not known yet */
    uint64_t scan;                  /* the last walk of the whole tree that read it */
    uint64_t seen;                  /* the last reading of the parent that found it */
    size_t left_out;                /* wanted children that have no node: no room in memory */
    size_t left_out_before;         /* the same at the last reading, while one goes on */
    int watch;                      /* -1: not watched */
    int rule;                       /* -1: none wants it */
    bool walked;                    /* a rule might want something below */
    bool queued;
    bool refused; /* once, and told so */
    enum cgroup_waiting waiting;
    enum absence uncounted; /* why it is wanted and no target */
    UT_hash_handle by_watch, by_name;
    /* the key of by_name: these two, without a gap */
    struct cgroup_node *parent;
    char name[];
};

/* Whether its subtree begins with it. */
bool cgroup_node_owns_subtree(const struct cgroup_node *node);

struct cgroup_tree {
    struct cgroup_node *root, *names, *watches;
    struct hash_key hash_key;
    struct text key; /* scratch */
    size_t bytes, bytes_max, subtree_bytes_max;
};

/* A tree of the root alone. 0 or -ENOMEM. */
int cgroup_tree_init(struct cgroup_tree *tree, uint64_t root_inode);
void cgroup_tree_done(struct cgroup_tree *tree);

/* The child of that name; NULL: not known. -ENOMEM where there was no memory to look. */
int cgroup_tree_find(struct cgroup_tree *tree, struct cgroup_node *parent, const char *name,
                     struct cgroup_node **ret_node);
struct cgroup_node *cgroup_tree_find_watch(struct cgroup_tree *tree, int watch);

/* Whether a child of that name fits into the bounds of memory and of a path. */
bool cgroup_tree_has_room(const struct cgroup_tree *tree, const struct cgroup_node *parent,
                          const char *name);

/* Adds a child that is not there. 0 or -ENOMEM. */
int cgroup_tree_add(struct cgroup_tree *tree, struct cgroup_node *parent, const char *name,
                    struct cgroup_node **ret_node);

/* Removes a node that has no children and that nothing else refers to. */
void cgroup_tree_remove(struct cgroup_tree *tree, struct cgroup_node *node);

/* Gives the node this watch (-1: none), taking it from another. 0 or -ENOMEM, then it has none. */
int cgroup_tree_set_watch(struct cgroup_tree *tree, struct cgroup_node *node, int watch);

/*
 * The path of the node, or of its child of that name, in `path`, whose content
 * it replaces. NULL: no memory.
 */
const char *cgroup_node_path(const struct cgroup_node *node, const char *child, struct text *path);
