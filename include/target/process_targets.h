/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The set of processes that are counted. Only the collector thread uses it. Once a cycle
 * process_targets_update() brings it up to date and reports which targets are new and which have
 * ended. A target is one process that a rule matches, known by its number and its start time; with
 * `children` what that process starts belongs to it. The pointer to a target stays valid from the
 * update that finds it until the caller releases it.
 *
 * A process ends as a target and is born as another one if it executes another program, if it
 * changes its name so that another rule or group takes it, or if a name that was not known in time
 * has come, and makes it one of another group. For the kernel may have dropped its
 * counters, as it does if the program gives privileges. (What a descendant of a target with
 * `children` does after such an exec is lost, as it is to perf stat --inherit.) If the kernel does
 * not tell of new names, an update reads the names of young processes and of one in sixteen of the
 * others.
 *
 * The work of an update is bounded, in time too, and users take turns in it. What an update cannot
 * look at is left to one of the next. What a predecessor counts comes first,
 * with two seconds of its own.
 *
 * What a target with `children` starts while it exists belongs to it even beyond the limits,
 * because the kernel counts it whatever we do. What it had started before belongs to it as far as
 * there is room.
 */

#include <stdint.h>

#include "event/absence.h"
#include "target/process_rules.h"

struct process_targets;

struct process_target {
    pid_t pid;
    uint64_t start_ticks;       /* when it started, in clock ticks since boot (proc(5)) */
    uint64_t start_realtime_ns; /* when it started, as a time of day */
    int rule;                   /* index of the rule that matches it */
    bool children;              /* what the rule says of children */
    bool continues;             /* the same process was a target before */
    uid_t uid;                  /* the tenant whose limits it shares (process_owner.c) */
    char *group;                /* name of its group, as the value of a label */
    size_t n_members; /* living processes of the target: 1, more with children, 0 at the end */
    bool gone;        /* all of its processes have ended, or it became another target */
    void *owner;      /* the caller's own: this layer never looks at it */
};

/* Limits of the set, from `limits:` of the configuration. */
struct process_limits {
    size_t processes; /* how many processes may be counted at once, descendants included */
    size_t per_user;  /* how many of them may be of one tenant other than root: a user, with the
                         users that belong to it by subordinate ids or its user namespace */
};

/*
 * What an update brought. The arrays belong to the set and stay valid until the next update; their
 * items are struct process_target *.
 */
struct process_changes {
    void *const *born; /* each appears here once, and again only if it was given back */
    size_t n_born;
    void *const *gone; /* `gone` is set now; each appears here once */
    size_t n_gone;
};

/* Numbers for /metrics. */
struct process_census {
    size_t standing;                  /* targets that exist now and are not gone */
    size_t uncounted[ABSENCE_COUNT_]; /* processes that a rule wants and that are not counted now */
    uint64_t dropped[ABSENCE_COUNT_]; /* how many processes were refused since the start */
    uint64_t put_off;                 /* processes that wait now for their turn to be looked at */
    uint64_t undecided;               /* processes now for which a pattern took too long */
    uint64_t rescans;                 /* how often all of /proc was read since the start */
    uint64_t losses;                  /* updates in which the kernel had lost records */
    bool watching;                    /* the kernel tells of births and ends; if not, each update
                                         reads all of /proc */
    bool hidden; /* procfs hides processes of other users from us, so no rule can take them */
};

/*
 * Makes an empty set; the first update reads /proc. procfs_fd and the rules are borrowed for the
 * life of the set. 0 or -errno.
 */
int process_targets_new(int procfs_fd, const struct process_rules *rules,
                        const struct process_limits *limits, struct process_targets **ret_targets);
struct process_targets *process_targets_free(struct process_targets *targets);
DEFINE_AUTO(process_targets, struct process_targets *, process_targets_free)

/*
 * Has the first update look before all others at what the predecessor counts, with two seconds of
 * its own: so the counters of each can be handed over. The predecessor is borrowed until then;
 * NULL: there is none.
 */
void process_targets_succeed(struct process_targets *targets,
                             const struct process_targets *predecessor);

/*
 * Brings the set up to date. 0, or -errno if that failed (-ENOMEM); then the targets that it has
 * stay. A process that ends on the way is never reported.
 */
int process_targets_update(struct process_targets *targets, struct process_changes *ret_changes);

/*
 * Takes the kernel's records between two updates and looks at a bounded number of new processes, so
 * that what is born counts soon. It leaves everything else to the next update. It reports and
 * returns as an update does.
 */
int process_targets_follow(struct process_targets *targets, struct process_changes *ret_changes);

/*
 * A descriptor for epoll that becomes readable once, when a process is born, ends or takes another
 * name after process_targets_arm(). -1 if nothing tells. The set owns it, and an update or a
 * following may replace it: ask again after each.
 */
int process_targets_fd(const struct process_targets *targets);

/* Arms the descriptor. Returns true if there is something to take already. */
bool process_targets_arm(struct process_targets *targets);

/*
 * Lists the threads that a target has now, sorted by number. With children, the threads of its
 * living descendants are among them, as far as /proc tells. No thread is of a process that took
 * over the number of one that ended. The caller frees *ret_threads. 0; -ESRCH if all have ended;
 * -ENOMEM and the like.
 */
int process_targets_threads(struct process_targets *targets, const struct process_target *target,
                            pid_t **ret_threads, size_t *ret_n);

/*
 * Lists the processes of a target in the same way: its own, and with children those that descend
 * from it. A process that one call lists and a later one does not has ended, even if its number
 * belongs to another process by then.
 */
int process_targets_processes(struct process_targets *targets, const struct process_target *target,
                              pid_t **ret_processes, size_t *ret_n);

/*
 * Whether this process may still become a target, because it waits for room or to be looked at. A
 * process with this number that was not looked at yet may be the same one, so it counts too. False
 * if there is no set (NULL).
 */
bool process_targets_awaits(const struct process_targets *targets, pid_t pid, uint64_t start_ticks);

/* Whether its first process has not ended, so that no other can have its number yet. */
bool process_target_lives(const struct process_target *target);

/*
 * The caller could not take a target of the last `born`, for want of memory. The next update or
 * following tells its birth again; if it ends before that, the set frees it and tells nothing.
 * Until then it is uncounted (no_descriptors) in the census.
 */
void process_targets_give_back(struct process_targets *targets, struct process_target *target);

/* Frees a target that is gone. */
void process_targets_release(struct process_targets *targets, struct process_target *target);

const struct process_census *process_targets_census(const struct process_targets *targets);

/*
 * Whether procfs is of another PID namespace than ours: to system calls the numbers of processes
 * are other processes, or none.
 */
bool process_targets_are_foreign(const struct process_targets *targets);
