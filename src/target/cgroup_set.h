/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The inside of a struct cgroup_targets, which three files work on:
 * cgroup_walk.c finds out what is there, cgroup_admission.c decides what is
 * counted, cgroup_targets.c reports it. cgroup_labels.c says who it is.
 */

#include "sys/directory_entries.h"
#include "sys/directory_watch.h"
#include "target/cgroup_targets.h"
#include "target/cgroup_tree.h"
#include "target/target_news.h"

/* A target and what only this layer knows of it. */
struct counted_cgroup {
    struct cgroup_target target; /* first: the caller has a pointer to it */
    struct target_mark mark;     /* of the set's news */
    LIST_ENTRY(counted_cgroup) entry;
};

struct cgroup_targets {
    int root_fd;
    const struct cgroup_rules *rules;
    struct cgroup_limits limits;
    struct cgroup_census census;

    struct cgroup_tree tree;
    struct cgroup_queue to_list; /* directories that are to be read */
    struct cgroup_queue starved; /* wanted cgroups that could not be opened */
    LIST_HEAD(, cgroup_subtree) with_candidates;
    LIST_HEAD(, counted_cgroup) all; /* that stand or linger */
    size_t n_all;
    bool room; /* something went away since candidates were looked at */

    struct directory_watch *watch; /* NULL: there is no inotify */
    bool watches_used_up;          /* in the walk that is going on */
    bool unwatched;                /* some directory could not be watched */
    bool rescan;                   /* something was missed */
    uint64_t scan, listing;        /* how many there were: what nodes are marked with */
    uint64_t last_scan_ns, rescan_interval_ns;
    struct directory_entries entries; /* of the directory that is being read */
    struct text path;                 /* scratch */

    struct target_news news;
    bool identities_changed;
    bool relabel; /* there was no memory to tell all what their parent is */
};

/* What became of an attempt to open a cgroup, or to make it a target. */
enum cgroup_outcome {
    CGROUP_DONE = 0,  /* opened; a target now, or refused and remembered */
    CGROUP_ABSENT,    /* there is no such cgroup (now) */
    CGROUP_STARVED,   /* no descriptor or kernel memory for it */
    CGROUP_FORBIDDEN, /* it may not be read */
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

/* Opens a cgroup by its path from the root. Never negative. */
enum cgroup_outcome cgroup_open(const struct cgroup_targets *set, const char *path, int *ret_fd,
                                uint64_t *ret_inode);

/*
 * Makes a node that a rule wants a target, or puts it where it waits. An outcome
 * (ABSENT: the caller is to forget it), or -ENOMEM.
 */
int cgroup_admit(struct cgroup_targets *set, struct cgroup_node *node);

/* Tries those that wait for descriptors, and for room where there may be some. 0 or -ENOMEM. */
int cgroup_admit_waiting(struct cgroup_targets *set);

/* The cgroup, with all below it, does not exist any more. */
void cgroup_forget(struct cgroup_targets *set, struct cgroup_node *node);

/* A child of `parent` is wanted for which there is no node; or one such has gone. */
void cgroup_leave_out(struct cgroup_targets *set, struct cgroup_node *parent);
void cgroup_left_out_gone(struct cgroup_targets *set, struct cgroup_node *parent);

/* cgroup_labels.c */

/* The identity of the cgroup at this node and path. 0 or -ENOMEM. */
int cgroup_identity_new(const struct cgroup_node *node, const char *path,
                        struct identity **ret_identity);

/*
 * Tells the targets below `top` (it too) who their parent is, where that changed.
 * 0, or -ENOMEM: some have not been told.
 */
int cgroup_relabel(struct cgroup_targets *set, struct cgroup_node *top);

/* Whether another target has the label already, which only one that was cut can share. */
bool cgroup_label_is_taken(const struct cgroup_targets *set, const struct cgroup_target *target);

/* cgroup_walk.c */

/* Takes what inotify tells, and walks the tree where that is due. 0 or -errno. */
int cgroup_walk(struct cgroup_targets *set, bool look);

/* The first alone, and a bounded number. 0 or -errno. */
int cgroup_walk_on(struct cgroup_targets *set);
