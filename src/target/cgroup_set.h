/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The inside of a struct cgroup_targets. Several files work on it, and calls go one way:
 *
 *   cgroup_targets.c     leads through an update and reports what it brought
 *   cgroup_walk.c        finds out which cgroups exist
 *   cgroup_admission.c   decides which of them are counted
 *   counted_cgroup.c     makes and frees a target
 *   cgroup_labels.c      gives a target its identity
 *   cgroup_tree.c        keeps what is known of the hierarchy
 */

#include "sys/directory_entries.h"
#include "sys/directory_watch.h"
#include "target/cgroup_targets.h"
#include "target/cgroup_tree.h"
#include "target/target_news.h"

/* A target and what only this layer knows of it. */
struct counted_cgroup {
    struct cgroup_target target; /* comes first: the caller's pointer is cast to this struct */
    struct target_mark mark;     /* target_news.c works on it */
    struct named_target *named;  /* who is asked for its names; NULL: nobody */
    struct known_names *known;   /* those that its identity has */
    struct cgroup_node *node;    /* of the cgroup, while the target is not gone */
    LIST_ENTRY(counted_cgroup) entry;
};

struct cgroup_targets {
    int root_fd;
    const struct cgroup_rules *rules;
    struct cgroup_limits limits;
    struct cgroup_census census;

    struct cgroup_tree tree;
    struct cgroup_queue to_list;     /* directories that must be read */
    LIST_HEAD(, counted_cgroup) all; /* all targets that are not released yet */
    size_t n_all;
    /* Subtrees in which some wait, by what for. Who comes first has the next turn. */
    struct cgroup_subtrees with_waiting[WAITING_KINDS_];
    bool room; /* a target ended since who waits for room was looked at, so one may fit now */

    struct directory_watch *watch; /* NULL if there is no inotify */
    bool watches_used_up;          /* the walk that is going on has reached the limit of inotify */
    bool unwatched;                /* some directory could not be watched */
    bool rescan;                   /* events were missed: the next update walks the whole tree */
    uint64_t scan;                 /* number of this walk over the tree; nodes are marked with it */
    uint64_t listing;              /* number of this reading of a directory; marks children */
    uint64_t last_scan_ns, rescan_interval_ns;
    struct directory_entries entries; /* a buffer for the directory that is being read */
    struct text path;                 /* a buffer for the path of one node */

    struct target_names *names; /* NULL: nobody names targets */
    uint64_t names_taken;       /* how far its changes have been taken */
    struct target_news news;
    bool identities_changed;
    bool relabel; /* some targets do not know their parent yet, for want of memory */
};

/* What became of an attempt to open a cgroup, or to make a target of it. */
enum cgroup_outcome {
    CGROUP_DONE = 0,  /* it was opened; it is a target now, or waits for room */
    CGROUP_ABSENT,    /* there is no such cgroup, or not any more */
    CGROUP_STARVED,   /* there is no descriptor or kernel memory for it */
    CGROUP_FORBIDDEN, /* we may not read it */
};

/* counted_cgroup.c */

/*
 * A target of the cgroup at this node and path, whose directory is open as `fd`. On success the
 * target owns the descriptor. 0 or -ENOMEM.
 */
int counted_cgroup_new(const struct cgroup_node *node, const char *path, int fd, uint64_t inode,
                       struct counted_cgroup **ret_counted);
struct counted_cgroup *counted_cgroup_free(struct counted_cgroup *counted);
DEFINE_AUTO(counted_cgroup, struct counted_cgroup *, counted_cgroup_free)

/* cgroup_admission.c */

/* Opens a cgroup by its path from the root. The outcome is never negative. */
enum cgroup_outcome cgroup_open(const struct cgroup_targets *set, const char *path, int *ret_fd,
                                uint64_t *ret_inode);

/*
 * Makes a target of a node that a rule wants, or lets it wait if it cannot be one now. Returns an
 * outcome or -ENOMEM. After CGROUP_ABSENT the caller must forget the node.
 */
int cgroup_admit(struct cgroup_targets *set, struct cgroup_node *node);

/* Tries nodes that wait for descriptors, and nodes that wait for room if there may be some. 0 or
 * -ENOMEM. */
int cgroup_admit_waiting(struct cgroup_targets *set);

/* Makes targets wait for room that are beyond the limits, if these were lowered. */
void cgroup_shed(struct cgroup_targets *set);

/* Has those who wait for room wait for the reason that limits have now. */
void cgroup_rename_reason(struct cgroup_targets *set, enum absence before);

/* Forgets a node and all below it, because these cgroups do not exist any more; ends their targets.
 */
void cgroup_forget(struct cgroup_targets *set, struct cgroup_node *node);

/*
 * Counts a wanted child of `parent` for which memory has no room, so that it has no node; and takes
 * one back that has gone.
 */
void cgroup_leave_out(struct cgroup_targets *set, struct cgroup_node *parent);
void cgroup_left_out_gone(struct cgroup_targets *set, struct cgroup_node *parent);

/* cgroup_labels.c */

/* Makes the identity of the cgroup at this node and path. 0 or -ENOMEM. */
int cgroup_identity_new(const struct cgroup_node *node, const char *path,
                        struct identity **ret_identity);

/*
 * Gives each target from `top` downwards, whose parent has changed, an identity with the new
 * parent. 0, or -ENOMEM if some still have the old one.
 */
int cgroup_relabel(struct cgroup_targets *set, struct cgroup_node *top);

/* Asks for the names of a newcomer, and takes those that are known already. 0 or -ENOMEM. */
int cgroup_ask_for_names(struct cgroup_targets *set, struct counted_cgroup *counted);

/*
 * Gives each target whose names have changed an identity with the new ones. 0, or -ENOMEM if some
 * still have the old ones; they are tried again with the next call.
 */
int cgroup_take_names(struct cgroup_targets *set);

/* Whether another target has the same label. Only labels that were cut can be the same. */
bool cgroup_label_is_taken(const struct cgroup_targets *set, const struct cgroup_target *target);

/* cgroup_walk.c */

/* Takes the events of inotify (if `look`) and walks the whole tree if that is due. 0 or -errno. */
int cgroup_walk(struct cgroup_targets *set, bool look);

/* Takes a bounded number of events and walks nothing but what they point at. 0 or -errno. */
int cgroup_walk_on(struct cgroup_targets *set);
