/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The set of processes that are counted, kept up to date. Only the collector thread
 * touches it: once a cycle process_targets_update() brings the set to the present
 * and tells what is new and what has ended. A target is one process that a rule
 * matches, known by pid and start time; with `children` also what it starts. It
 * lives, by one pointer, from the update that finds it until the caller releases it.
 *
 * A process that executes another program, or changes its name so that another rule
 * or group becomes its own, ends as a target and is born as another: what counted it
 * until then may have been dropped by the kernel, as it does where privileges are
 * gained. (What a descendant of a target with `children` does after such an exec is
 * lost, as it is to perf stat --inherit.) Where the kernel does
 * not tell of births, an update reads the names of young processes, and of the
 * others one in sixteen.
 *
 * The work of an update is bounded, in time too, and users take turns in it: what cannot be looked
 * at now is in one of the next updates.
 *
 * What a target with `children` starts while it stands belongs to it even beyond
 * the limits, for the kernel counts it; what it had started before, as there is
 * room.
 */

#include <stdint.h>

#include "event/absence.h"
#include "target/process_rules.h"

struct process_targets;

struct process_target {
    pid_t pid;
    uint64_t start_ticks;       /* its start, in clock ticks since boot (proc(5)) */
    uint64_t start_realtime_ns; /* the same as a time of day */
    int rule;                   /* index in the rules */
    bool children;              /* of the rule */
    bool continues;             /* the process was a target before, in the same life */
    uid_t uid;                  /* who shares limits with it: its user, or whose that user is */
    char *group;                /* name of its group, as a label's value */
    size_t n_members;           /* processes that live in it: 1, with children more. 0: ended */
    bool gone;                  /* all of them have ended, or it became another target */
    void *owner;                /* these two are the caller's own: this layer never looks at them */
    struct process_target *next;
};

/* Limits of the set, from `limits:` of the configuration. */
struct process_limits {
    size_t processes; /* how many may be counted at once, descendants included … */
    size_t per_user;  /* … and how many of them of one user that is not root, with the users
                         that belong to it: by its subordinate ids, or its user namespace */
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
    size_t standing;                  /* targets that live now */
    size_t uncounted[ABSENCE_COUNT_]; /* processes that a rule wants and the set has not, now */
    uint64_t dropped[ABSENCE_COUNT_]; /* how many times one was refused since the start */
    uint64_t put_off;                 /* processes that wait for their turn to be looked at, now */
    uint64_t undecided;               /* over whose arguments a pattern took too long, now */
    uint64_t rescans;                 /* how many times all of /proc was read since the start */
    uint64_t losses;                  /* updates that were told that records had found no room */
    bool watching;                    /* the kernel tells of births and deaths; else each update
                                         reads all of /proc */
    bool hidden; /* procfs hides processes of others from us: no rule can take them */
};

/* procfs_fd, rules: borrowed for the life of the set. 0 or -errno; nothing is read yet. */
int process_targets_new(int procfs_fd, const struct process_rules *rules,
                        const struct process_limits *limits, struct process_targets **ret_targets);
struct process_targets *process_targets_free(struct process_targets *targets);
DEFINE_AUTO(process_targets, struct process_targets *, process_targets_free)

/*
 * Brings the set to the present. 0, or -errno where that failed (-ENOMEM): what
 * stands, stands. One that ends on the way was never there.
 */
int process_targets_update(struct process_targets *targets, struct process_changes *ret_changes);

/*
 * Between two updates: takes what the kernel has told, looks at a bounded number of those who are
 * new, and leaves everything else to the next update. Outcomes as those of an update.
 */
int process_targets_follow(struct process_targets *targets, struct process_changes *ret_changes);

/*
 * Becomes readable, once, when a process is born, ends or takes another name after
 * process_targets_arm(); to be waited for by epoll. -1: nothing tells. An update or following may
 * replace it by another one: ask again after each. Borrowed.
 */
int process_targets_fd(const struct process_targets *targets);

/* Makes the descriptor tell. True: there is something to be taken already. */
bool process_targets_arm(struct process_targets *targets);

/*
 * The threads of a target now, by number; with children those of its living
 * descendants too, as far as /proc tells. None is of a process that has got the
 * number of one that ended. *ret_threads is the caller's to free.
 * 0; -ESRCH where all have ended; -ENOMEM and the like.
 */
int process_targets_threads(struct process_targets *targets, const struct process_target *target,
                            pid_t **ret_threads, size_t *ret_n);

/*
 * The same, by processes: the target's own, and with children those that descend from it. What is
 * named here and not in a later call has ended, also where its number is another's by then.
 */
int process_targets_processes(struct process_targets *targets, const struct process_target *target,
                              pid_t **ret_processes, size_t *ret_n);

/*
 * Whether this process, or what else has its number and was not looked at yet, waits for room or
 * to be looked at: it may become a target. False where there is no set.
 */
bool process_targets_awaits(const struct process_targets *targets, pid_t pid, uint64_t start_ticks);

/* Whether its first process has not ended: so its number has not been given to another. */
bool process_target_lives(const struct process_target *target);

/*
 * The caller could not take a target of the last `born`, for want of memory. The next update or
 * following tells its birth again; if it ends before that, the set frees it and tells nothing.
 * Until then it is uncounted (no_descriptors) in the census.
 */
void process_targets_give_back(struct process_targets *targets, struct process_target *target);

/* Ends a target that is gone; frees it. */
void process_targets_release(struct process_targets *targets, struct process_target *target);

const struct process_census *process_targets_census(const struct process_targets *targets);
