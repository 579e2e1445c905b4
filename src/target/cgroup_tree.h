/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The part of the hierarchy that we know. There is a node for each cgroup that a rule wants, and
 * for each below which a rule might want one. Here are only the tree, its names and its bounds in
 * memory; cgroup_admission.c decides who becomes a target.
 */

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "base/keyed_hash.h"
#include "base/text.h"
#include "base/tree.h"
#include "event/absence.h"

/* A longer path is not walked: Linux has no limit for paths, but our memory needs one. */
#define CGROUP_PATH_LENGTH_MAX 16384

/* What a wanted node waits for that is no target. */
enum cgroup_waiting {
    WAITING_FOR_ROOM, /* a limit refused it */
    WAITING_FOR_DESCRIPTORS,
    WAITING_KINDS_,
    WAITING_NOWHERE = WAITING_KINDS_
};

TAILQ_HEAD(cgroup_queue, cgroup_node);
TAILQ_HEAD(cgroup_subtrees, cgroup_subtree);
LIST_HEAD(cgroup_children, cgroup_node);

/*
 * What a top-level cgroup and all below it have together. Limits are shared between subtrees, so
 * that one tenant cannot take everything. Below user.slice, where each user may make cgroups, each
 * user's cgroup begins a subtree of its own, which has a share of that of user.slice.
 */
struct cgroup_subtree {
    struct cgroup_subtree *within; /* the subtree whose share is divided; NULL if it is the whole */
    uint64_t number;               /* no other one has or had it; it is not 0 */
    size_t targets;                /* how many targets are in it */
    size_t bytes;                  /* how much memory its nodes take */
    /* Nodes that wait, by what for, oldest first, and this subtree among those that have some. */
    struct cgroup_queue waiting[WAITING_KINDS_];
    TAILQ_ENTRY(cgroup_subtree) with_waiting[WAITING_KINDS_];
};

struct cgroup_node {
    struct cgroup_subtree *subtree;
    struct cgroup_children children;
    LIST_ENTRY(cgroup_node) sibling;
    TAILQ_ENTRY(cgroup_node) to_list; /* entry in the queue of directories to read, if `queued` */
    TAILQ_ENTRY(cgroup_node) waiting_entry;
    struct counted_cgroup *counted; /* its target, or NULL */
    uint64_t inode;                 /* 0 if it is not known yet */
    uint64_t scan;                  /* the last walk over the whole tree that read its directory */
    uint64_t seen;                  /* the last reading of the parent's directory that found it */
    size_t left_out;        /* wanted children without a node, for which memory had no room */
    size_t left_out_before; /* `left_out` before the reading that goes on now, else 0 */
    int watch;              /* the watch of inotify on its directory, or -1 */
    int rule;               /* the rule that wants it, or -1 */
    bool walked;            /* a rule might want something below it */
    bool queued;            /* its directory waits to be read */
    bool refused;           /* it was refused once, and counted as dropped then */
    enum cgroup_waiting waiting;
    enum absence uncounted; /* why it is no target although a rule wants it */
    UT_hash_handle by_watch, by_name;
    /* parent and name together are the key of by_name, so there must be no gap between them */
    struct cgroup_node *parent;
    char name[];
};

/* Whether a subtree begins with this node. */
bool cgroup_node_owns_subtree(const struct cgroup_node *node);

struct cgroup_tree {
    struct cgroup_node *root, *names, *watches;
    struct hash_key hash_key;
    struct text key; /* a buffer for the key of one search */
    size_t bytes, bytes_max, subtree_bytes_max;
    uint64_t n_subtrees; /* how many have been made */
};

/* Makes a tree of the root alone. 0 or -ENOMEM. */
int cgroup_tree_init(struct cgroup_tree *tree, uint64_t root_inode);
void cgroup_tree_done(struct cgroup_tree *tree);

/* Finds the child of this name; *ret_node is NULL if there is none. 0, or -ENOMEM. */
int cgroup_tree_find(struct cgroup_tree *tree, struct cgroup_node *parent, const char *name,
                     struct cgroup_node **ret_node);
struct cgroup_node *cgroup_tree_find_watch(struct cgroup_tree *tree, int watch);

/* Whether a child of this name fits into the bounds of memory and of a path. */
bool cgroup_tree_has_room(const struct cgroup_tree *tree, const struct cgroup_node *parent,
                          const char *name);

/* Adds a child of a name that `parent` does not have yet. 0 or -ENOMEM. */
int cgroup_tree_add(struct cgroup_tree *tree, struct cgroup_node *parent, const char *name,
                    struct cgroup_node **ret_node);

/* Removes a node that has no children and that nothing else refers to. */
void cgroup_tree_remove(struct cgroup_tree *tree, struct cgroup_node *node);

/* Gives the node this watch, or none (-1). If another node has it, that one loses it. 0, or
 * -ENOMEM; then the node has none. */
int cgroup_tree_set_watch(struct cgroup_tree *tree, struct cgroup_node *node, int watch);

/*
 * Writes the path of the node, or of its child of this name, into `path`, and returns it as a C
 * string. NULL if there is no memory.
 */
const char *cgroup_node_path(const struct cgroup_node *node, const char *child, struct text *path);
