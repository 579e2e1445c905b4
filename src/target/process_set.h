/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The inside of a struct process_targets. process_known.c keeps what is known of
 * /proc; process_records.c and process_scan.c find out what changed, by the
 * kernel's records and by reading all; process_owner.c knows whose they are, and
 * process_turns.c whose turn it is to be looked at; process_look.c opens what is new,
 * and asks the rules; process_members.c decides what is counted; process_targets.c
 * reports it.
 */

#include <uthash.h>

#include "base/tree.h"
#include "sys/exit_watch.h"
#include "sys/process.h"
#include "sys/subordinate_ids.h"
#include "sys/task_events.h"
#include "target/process_targets.h"
#include "target/target_news.h"

TAILQ_HEAD(process_queue, process_node);
LIST_HEAD(process_list, process_node);
TAILQ_HEAD(process_turns, process_user);

/* Whose processes share a limit, and the work of looking at them. */
struct process_user {
    uid_t uid;
    size_t counted;               /* that are counted … */
    struct process_queue waiting; /* … and that are refused, oldest first */

    struct process_queue to_look;   /* oldest first; where there are some … */
    TAILQ_ENTRY(process_user) turn; /* … it is among those whose turn comes … */
    int64_t credit;                 /* … and this much work is left of it. Negative: a debt */
    UT_hash_handle by_uid;
};

/* One process that is known: each that is there, matched or not. */
struct process_node {
    pid_t pid;
    pid_t parent_pid;            /* who started it, if `parent` is not known yet */
    struct process_node *parent; /* the nearest that it descends from, of those that are known */
    struct process_list children;
    LIST_ENTRY(process_node) sibling;

    uint64_t start_ticks; /* 0: it has not been looked at */
    uint64_t inode;       /* of /proc/PID, which the kernel keeps for this process; 0: not known */
    uint64_t scan;        /* the last reading of /proc that saw it */
    uid_t uid;            /* its owner, with whom it shares */
    uid_t effective_uid;  /* that this is the owner of; known where start_ticks is */
    char comm[16];        /* as it was last looked at */
    bool kernel_thread;
    bool unowned; /* nothing is known of its owner yet */

    struct counted_process *counted; /* the target that it belongs to … */
    LIST_ENTRY(process_node) member;
    bool left_out;             /* … but not counted: it was there before, and there was no room */
    struct process_user *user; /* with whom it is counted; NULL: it is not */

    struct process_user *looked_at_with; /* in whose turn it is to be looked at; NULL: it is not */
    TAILQ_ENTRY(process_node) to_look;
    bool behind_parent;             /* that has been put before it */
    bool only_name;                 /* if that is the same, nothing else is looked at */
    struct rule_verdicts *verdicts; /* of the patterns over its arguments */
    bool undecided;                 /* no rule takes it, but one of those took too long */
    bool by_number;                 /* its user's name was not known in time: it has none */
    struct process_user *waiting;   /* with whom it waits for room; NULL: it does not */
    TAILQ_ENTRY(process_node) waiting_entry;
    bool refused;         /* once, and told so */
    bool execed;          /* since it was matched */
    bool was_target;      /* before the target that it is, or waits to be */
    bool fresh;           /* only its birth is known, and … */
    unsigned threads;     /* … how many threads it has since */
    unsigned ending;      /* its first thread exited: how often we look whether others live */
    unsigned looks_young; /* how many scans have seen it, while they are few */
    TAILQ_ENTRY(process_node) ending_entry;
    UT_hash_handle by_pid;
};

/* A target and what only this layer knows of it. */
struct counted_process {
    struct process_target target; /* first: the caller has a pointer to it */
    struct target_mark mark;      /* of the set's news */
    struct process_targets *set;
    LIST_ENTRY(counted_process) entry;
    struct process_list members; /* those left out too */
    struct process_node *first;  /* NULL: it has ended */
    int exit_fd;                 /* of its first process; -1: nothing watches */
};

struct process_targets {
    int procfs_fd;
    const struct process_rules *rules;
    struct process_limits limits;
    struct process_census census;

    struct process_node *nodes;
    struct process_user *users;
    struct process_user nobody;  /* has those whose owner is not known, to be looked at */
    struct process_turns turns;  /* of users; who is first is served */
    struct process_user *served; /* stays until it has paid */
    size_t work_of_patterns;     /* for the process that is looked at */
    size_t most_work;            /* that there may be by now … */
    size_t work;                 /* in this update, as process_turns.c counts it … */
    uint64_t work_end_ns;        /* … and until when there may be more */
    struct subordinate_ids *owners;
    uint64_t owners_read_ns;
    char own_uid_map[PROCESS_UID_MAP_SIZE]; /* of our own user namespace; empty: not known */
    struct process_queue ending;
    LIST_HEAD(, counted_process) all; /* that stand, or are gone and not released */
    size_t n_counted;                 /* processes, against the limit */
    bool room;                        /* some ended since those that wait were looked at */

    bool is_ours;               /* the numbers in procfs are those of our own PID namespace */
    struct task_events *events; /* NULL: nothing tells */
    struct exit_watch *exits;   /* NULL: nothing tells */
    uint64_t events_tried_ns;
    bool rescan; /* something was missed */
    uint64_t scan, last_scan_ns;
    uint64_t hidden_at_ns; /* when it is looked again whether procfs hides processes */

    struct target_news news;
};

/* process_known.c */

struct process_node *process_find(const struct process_targets *set, pid_t pid);
/* Adds one that is not known. 0 or -ENOMEM. */
int process_add(struct process_targets *set, pid_t pid, struct process_node **ret_node);
/* Whether patterns took too long, so that nobody knows whether a rule would take it. */
void process_set_undecided(struct process_targets *set, struct process_node *node, bool undecided);
/* Removes and frees one that belongs to no target and waits for nothing (process_forget()). */
void process_remove(struct process_targets *set, struct process_node *node);
void process_node_free(struct process_node *node);
/* Who started it, if that is no contradiction. */
void process_set_parent(struct process_node *node, struct process_node *parent);
/* The user of that number; NULL: no memory. Unused ones are dropped by process_user_drop(). */
struct process_user *process_user_get(struct process_targets *set, uid_t uid);
void process_user_drop(struct process_targets *set, struct process_user *user);

/* process_owner.c */

/* With whom this user shares. process: of that user; NULL: there is none to be asked. */
uid_t process_owner_of(const struct process_targets *set, uid_t uid, const struct process *process);
/* Finds out, for one that has not been looked at, in whose turn that is to be done. */
void process_note_owner(const struct process_targets *set, struct process_node *node);
/* Takes it of a process that is looked at. */
void process_take_owner(const struct process_targets *set, struct process_node *node,
                        const struct process *process);

/* process_turns.c */

/* Those of all users that are to be looked at from now on share the budget of an update … */
void process_begin_turns(struct process_targets *set);
/* … or what a following may take of that of all followings until the next update. */
void process_begin_following(struct process_targets *set);
/* Whether there are some to be looked at, and another following may. */
bool process_may_follow(const struct process_targets *set);
/* It is to be looked at, when it is its user's turn. */
void process_enqueue(struct process_targets *set, struct process_node *node);
/* Only its name, unless that is another; where it is not to be looked at anyway. */
void process_enqueue_name(struct process_targets *set, struct process_node *node);
void process_dequeue(struct process_targets *set, struct process_node *node);
/* The first of the two, which are both queued, comes next, in the turn of the second. */
void process_put_before(struct process_targets *set, struct process_node *first,
                        const struct process_node *second);
/* Whose turn it is; NULL: nobody's, or the budget of this update is used up. */
struct process_node *process_next_turn(struct process_targets *set);
/* What patterns may cost with it now, in steps. What they did is paid by who was served. */
size_t process_most_work(const struct process_targets *set);
void process_pay(struct process_targets *set, size_t work, bool only_name);

/* process_records.c */

/* Sees to it that something tells of births: tries once a minute where that cannot be. */
void process_watch_births(struct process_targets *set, uint64_t now_ns);
/* Takes what the kernel told since the last update. 0 or -ENOMEM. */
int process_take_records(struct process_targets *set);
/*
 * Takes it between updates, with the exits that are sure. Nothing is looked at but whose a new one
 * is. 0 or -ENOMEM.
 */
int process_follow_records(struct process_targets *set);
/* Takes the exits, and looks whether those have ended whose first thread has. */
void process_take_exits(struct process_targets *set);

/* process_scan.c */

/* Reads all of /proc. 0 or -errno. */
int process_scan(struct process_targets *set);

/* process_look.c */

/* Looks at those that are to be looked at, parents first. 0 or -ENOMEM. */
int process_look_at_queued(struct process_targets *set);
/* Gives room that came free to those that wait. 0 or -ENOMEM. */
int process_admit_waiting(struct process_targets *set);

/* counted_process.c */

/*
 * The target that the node is the first process of, by this rule and in this group, which is
 * taken over. 0; -ESRCH where the process has ended meanwhile; -ENOMEM.
 */
int counted_process_new(struct process_targets *set, struct process_node *node, int rule,
                        char **group, struct counted_process **ret_counted);
struct counted_process *counted_process_free(struct counted_process *counted);
DEFINE_AUTO(counted_process, struct counted_process *, counted_process_free)

/* process_members.c */

/* The target whose `children` would take the node in, by its parent; NULL: none. */
struct counted_process *process_family(const struct process_node *node);
/* Takes a descendant in. 0 or -ENOMEM. */
int process_join(struct process_targets *set, struct process_node *node,
                 struct counted_process *counted);
/* Makes it the target of this rule and group (taken over). 0; -ESRCH, -ENOMEM. */
int process_admit(struct process_targets *set, struct process_node *node, int rule, char **group);
/* Whether room for others has come free, and how much for this user's. */
size_t process_room_for(const struct process_targets *set, const struct process_user *user);
/* It belongs to no target any more, and waits for nothing. */
void process_leave(struct process_targets *set, struct process_node *node);
/* It has ended: takes it out of everything and frees it. */
void process_forget(struct process_targets *set, struct process_node *node);
/* The target of it has become another one; those that belonged to it are to be looked at. */
void process_end_target(struct process_targets *set, struct counted_process *counted);
