/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The inside of a struct process_targets. Several files work on it, and calls go one way:
 *
 *   process_targets.c   leads through an update and reports what it brought
 *   process_records.c   takes the kernel's records of births, new names and ends
 *   process_scan.c      reads all of /proc
 *   process_look.c      opens what is new and asks the rules about it
 *   process_members.c   decides what is counted
 *   counted_process.c   makes and frees a target
 *   process_turns.c     knows whose turn it is to be looked at
 *   process_owner.c     knows which tenant a process belongs to
 *   process_known.c     keeps what is known of processes and users
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
TAILQ_HEAD(process_turns, process_tenant);

/*
 * A tenant: a user, with the users that belong to it (process_owner.c). Its processes share a
 * limit, and the work of looking at them.
 */
struct process_tenant {
    uid_t uid;
    size_t counted;               /* how many of its processes are counted */
    struct process_queue waiting; /* processes that wait for room, oldest first */

    struct process_queue to_look;     /* processes to be looked at, oldest first */
    TAILQ_ENTRY(process_tenant) turn; /* entry in `turns` of the set while to_look is not empty */
    int64_t credit;                   /* the work that is left of its turn; a debt if negative */
    UT_hash_handle by_uid;
};

/* A process that exists, whether a rule matches it or not. */
struct process_node {
    pid_t pid;
    pid_t parent_pid;            /* who started it, while `parent` is not known */
    struct process_node *parent; /* its nearest known ancestor */
    struct process_list children;
    LIST_ENTRY(process_node) sibling;

    uint64_t start_ticks; /* 0 if nobody has looked at it yet */
    uint64_t inode;       /* of /proc/PID: the kernel keeps it for this process; 0: not known */
    uint64_t scan;        /* the last reading of /proc that saw it */
    uid_t uid;            /* the tenant that it belongs to */
    uid_t effective_uid;  /* the user of which `uid` is the tenant; known if start_ticks is */
    char comm[16];        /* its name when it was last looked at */
    bool kernel_thread;
    bool unowned; /* its tenant is not known yet */

    struct counted_process *counted; /* the target that it belongs to, or NULL */
    LIST_ENTRY(process_node) member;
    bool left_out;                 /* it belongs to the target, but there was no room to count it */
    struct process_tenant *tenant; /* whom it is counted with; NULL if it is not counted */

    struct process_tenant *looked_at_with; /* the tenant in whose queue it is; NULL: in none */
    TAILQ_ENTRY(process_node) to_look;
    bool behind_parent;             /* its parent has been put before it in the queue */
    bool only_name;                 /* look at nothing else if its name is still the same */
    struct rule_verdicts *verdicts; /* what the patterns said of its arguments */
    bool undecided;                 /* no rule takes it, but a pattern took too long */
    bool has_name;                  /* nothing was late when its group got the name that it has */
    enum process_name_late late;    /* what was late the last time; it is asked for again */
    struct process_tenant *waiting; /* in whose queue it waits for room; NULL: in none */
    TAILQ_ENTRY(process_node) waiting_entry;
    bool refused;         /* it was refused once, and counted as dropped then */
    bool execed;          /* it has executed a program since it was matched */
    bool was_target;      /* it was another target before this one */
    bool fresh;           /* only its birth is known: nobody has looked at it */
    bool has_continued;   /* it was in the queue `continuing` of the set */
    unsigned threads;     /* while it is fresh, how many threads it has by the records */
    bool ending;          /* its first thread exits or has exited: it is in `ending` of the set */
    unsigned looks_young; /* how many scans have seen it, up to SCANS_OF_THE_YOUNG */
    TAILQ_ENTRY(process_node) ending_entry;
    UT_hash_handle by_pid;
};

/* A target and what only this layer knows of it. */
struct counted_process {
    struct process_target target; /* comes first: the caller's pointer is cast to this struct */
    struct target_mark mark;      /* target_news.c works on it */
    struct process_targets *set;
    LIST_ENTRY(counted_process) entry;
    struct process_list members; /* all that belong to it, those that are left out too */
    struct process_node *first;  /* the process that the rule matched; NULL once it has ended */
    int exit_fd;                 /* tells when `first` ends; -1 if nothing does */
};

struct process_targets {
    int procfs_fd;
    const struct process_rules *rules;
    struct process_limits limits;
    struct process_census census;

    struct process_node *nodes;     /* all processes that are known, by number */
    struct process_tenant *tenants; /* all tenants with something to count or to look at */
    struct process_tenant nobody;   /* has the queue of processes whose tenant is not known */
    struct process_turns turns;     /* tenants with something to look at; the first one is served */
    struct process_tenant *served;  /* it stays in memory until it has paid for its turn */
    size_t work_of_patterns;        /* the work of patterns for the process that is looked at */
    size_t most_work;               /* the limit for `work` now */
    size_t work;                    /* what this update and the followings since have done */
    uint64_t work_end_ns;           /* when looking must end, whatever work is left */

    const struct process_targets *predecessor; /* until the first update is done; NULL: none */
    struct process_tenant continuing;          /* has the queue of what the predecessor counts */
    uint64_t continuing_end_ns;                /* until then that queue comes before all turns */

    struct subordinate_ids *owners;
    uint64_t owners_read_ns;
    char own_uid_map[PROCESS_UID_MAP_SIZE]; /* of our user namespace; empty if not known */
    struct process_queue ending;            /* each update looks whether these have ended */
    LIST_HEAD(, counted_process) all;       /* all targets that are not released yet */
    size_t n_counted;                       /* how many processes are counted, for the limit */
    bool room;        /* a counted process ended since waiting ones were looked at */
    size_t n_late;    /* how many processes have something `late` */
    uint64_t late_ns; /* when all of these were asked about */
    uint64_t answers[PROCESS_NAME_LATE_COUNT_]; /* how many there had been then */

    bool is_ours;               /* procfs has the numbers of our own PID namespace */
    bool is_foreign;            /* it has those of another one; neither: it is no procfs */
    struct task_events *events; /* the kernel's records; NULL if there are none */
    struct exit_watch *exits;   /* tells when first processes end; NULL if there is none */
    uint64_t events_tried_ns;
    bool rescan; /* records were lost: the next update reads all of /proc */
    uint64_t scan, last_scan_ns;
    uint64_t hidden_at_ns; /* when to look again whether procfs hides processes */

    struct target_news news;
};

/* process_known.c */

/* The process of this number; NULL if it is not known. */
struct process_node *process_find(const struct process_targets *set, pid_t pid);
/* Adds a process that is not known. 0 or -ENOMEM. */
int process_add(struct process_targets *set, pid_t pid, struct process_node **ret_node);
/* Notes whether a pattern took too long, so that nobody knows whether a rule would take it. */
void process_set_undecided(struct process_targets *set, struct process_node *node, bool undecided);
/* Notes what was late for the name of its group. */
void process_set_late(struct process_targets *set, struct process_node *node,
                      enum process_name_late late);
/* Removes and frees one that belongs to no target and waits for nothing (process_forget()). */
void process_remove(struct process_targets *set, struct process_node *node);
void process_node_free(struct process_node *node);
/* Notes who started it, unless that cannot be: a parent is older, and no descendant. */
void process_set_parent(struct process_node *node, struct process_node *parent);
/* Finds or makes the tenant of this number; NULL if there is no memory. */
struct process_tenant *process_tenant_get(struct process_targets *set, uid_t uid);
/* Frees a tenant that has nothing to count or to look at any more. */
void process_tenant_drop(struct process_targets *set, struct process_tenant *tenant);

/* process_owner.c */

/* Finds out the tenant of a process before it is looked at, to put it into the right queue. */
void process_note_owner(const struct process_targets *set, struct process_node *node);
/* Finds out the tenant of a process that is being looked at. */
void process_take_owner(const struct process_targets *set, struct process_node *node,
                        const struct process *process);

/* process_turns.c */

/* Begins the work of an update: all that is looked at from now on shares its budget. */
void process_begin_turns(struct process_targets *set);
/* Begins the work of one following: it shares a smaller budget with the others until the update. */
void process_begin_following(struct process_targets *set);
/* Whether there is something to look at, and budget for another following. */
bool process_may_follow(const struct process_targets *set);
/* Puts a process into its tenant's queue, to be looked at. */
void process_enqueue(struct process_targets *set, struct process_node *node);
/* Does the same, but looks only at the name as long as that has not changed. */
void process_enqueue_name(struct process_targets *set, struct process_node *node);
void process_dequeue(struct process_targets *set, struct process_node *node);
/* Puts `first` before all others in the queue that `second` is in. Both must be queued. */
void process_put_before(struct process_targets *set, struct process_node *first,
                        const struct process_node *second);
/*
 * The process whose turn it is; NULL if there is none, or the budget is used up. Those that the
 * predecessor counts come first, with time of their own.
 */
struct process_node *process_next_turn(struct process_targets *set);
/* How many steps patterns may take now for one process. */
size_t process_most_work(const struct process_targets *set);
/* Charges the tenant that was served with the work of patterns and with one look. */
void process_pay(struct process_targets *set, size_t work, bool only_name);

/* process_records.c */

/* Opens the kernel's records if they are not open; after a failure, once a minute. */
void process_watch_births(struct process_targets *set, uint64_t now_ns);
/* Takes the records since the last update. 0 or -ENOMEM. */
int process_take_records(struct process_targets *set);
/*
 * Takes the records between updates, and the ends that are certain. Of a new process it reads only
 * the owner. 0 or -ENOMEM.
 */
int process_follow_records(struct process_targets *set);
/* From now on each update looks whether the process has ended, while its first thread exits. */
void process_await_end(struct process_targets *set, struct process_node *node);
/* Takes the ends that are certain, and looks at the processes whose end is awaited. */
void process_take_exits(struct process_targets *set);

/* process_scan.c */

/* Reads all of /proc: what is new is queued, what is missing has ended. 0 or -errno. */
int process_scan(struct process_targets *set);

/* process_look.c */

/* Queues those whose names came too late, once there is an answer, and all once a minute. */
void process_enqueue_late(struct process_targets *set, uint64_t now_ns);
/* Looks at queued processes as far as the budget goes, parents first. 0 or -ENOMEM. */
int process_look_at_queued(struct process_targets *set);
/* Gives room that came free to processes that wait for it. 0 or -ENOMEM. */
int process_admit_waiting(struct process_targets *set);

/* counted_process.c */

/*
 * The target that the node is the first process of, by this rule and in this group, which is
 * taken over. 0; -ESRCH if the process has ended meanwhile; -ENOMEM.
 */
int counted_process_new(struct process_targets *set, struct process_node *node, int rule,
                        char **group, struct counted_process **ret_counted);
struct counted_process *counted_process_free(struct counted_process *counted);
DEFINE_AUTO(counted_process, struct counted_process *, counted_process_free)

/* process_members.c */

/* The target with `children` that the node's parent belongs to; NULL if there is none. */
struct counted_process *process_family(const struct process_node *node);
/* Makes a descendant a member of the target. 0 or -ENOMEM. */
int process_join(struct process_targets *set, struct process_node *node,
                 struct counted_process *counted);
/* Makes a target of it by this rule, in this group, which is taken over. 0; -ESRCH; -ENOMEM. */
int process_admit(struct process_targets *set, struct process_node *node, int rule, char **group);
/* How many more processes of this tenant may be counted now. */
size_t process_room_for(const struct process_targets *set, const struct process_tenant *tenant);
/* Takes it out of its target and of the queue for room. */
void process_leave(struct process_targets *set, struct process_node *node);
/* It has ended: takes it out of everything and frees it. */
void process_forget(struct process_targets *set, struct process_node *node);
/* Ends a target that still has members: these are looked at again, and may be other targets. */
void process_end_target(struct process_targets *set, struct counted_process *counted);
