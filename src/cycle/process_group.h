/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The processes that are counted under one name. What the group has counted is the sum
 * of what its members have, each with counters of its own, and outlives them.
 */

#include "count/mechanism.h"
#include "target/process_targets.h"

/* Counters of threads that were opened together, or of whole processes. */
struct task_counters {
    struct counter_set *set;
    pid_t *tasks; /* ascending; of the set's scope */
    size_t n_tasks;
    bool begun;  /* there was a reading: the next one tells what was counted since */
    bool whole;  /* … and a whole interval passes until then: it has a rate */
    bool ended;  /* read once more, then closed */
    bool unsure; /* opened at its birth: what began at that moment may not be counted with it */
};

/* One target of the set of processes. */
struct process_member {
    struct process_target *target; /* released with the member once it is gone */
    struct task_counters *counters;
    size_t n_counters;
    enum absence absence; /* why its threads are not to be opened; see process_member_absence() */
    enum absence told;    /* why it is not counted, as was last told */
    uint64_t retry_at_ns; /* before that, what was refused for a limit is not tried again */
    bool ended;           /* read once more, then freed */
    struct process_member *next;
};

struct process_group {
    char *name;  /* label groupname */
    int rule;    /* which made it; its groups of events are the rule's */
    bool single; /* the name tells one process from another: it ends with it */
    pid_t pid;   /* of the last that became a member; with its start that is one process */
    uint64_t start_ticks;
    struct process_member *members;
};

/* What opening needs beside the member. */
struct process_opening {
    struct mechanism *mechanism;
    const struct event_groups *groups;
    struct process_targets *targets;
    const struct cpu_list *cpus; /* where whole processes are counted; outlives what is opened */
    bool can_inherit_threads;    /* the kernel can: event_can_inherit_threads() */
    size_t threads_left;         /* that may still be opened */
    bool at_birth;               /* between two cycles: the next one looks whether it was whole */
    uint64_t now_ns;
};

/* NULL if there is no memory. */
struct process_group *process_group_new(const char *name, int rule, bool single);

/* The same group, by another rule and without its members. NULL if there is no memory. */
struct process_group *process_group_copy(const struct process_group *from, int rule);

/* targets: the set that the members are of; what is gone is released there. */
struct process_group *process_group_free(struct process_group *group,
                                         struct process_targets *targets);

/* Enters a target, which has no counters yet, as its owner's. 0 or -ENOMEM. */
int process_group_add(struct process_group *group, struct process_target *target);

/*
 * Whether this goes on with what the group has counted: any process does, but where the name tells
 * one from another only that which was its member, as when it has executed another program, or
 * there was no room for it meanwhile.
 */
bool process_group_goes_on_with(const struct process_group *group,
                                const struct process_target *next);

/* The same of a group of that name of another collector, which has members. */
bool process_group_is_same(const struct process_group *group, const struct process_group *other);

/* Whether its name told one process, and that has ended: the next of that name begins anew. */
bool process_group_is_over(const struct process_group *group, const struct process_target *next);

/* The target is gone: the next reading is the member's last. */
void process_member_end(struct process_member *member);

/* Whether some member has this group of events open. */
bool process_group_is_open(const struct process_group *group, size_t index);

/* Whether something of the group ought to be open and is not. */
bool process_group_is_incomplete(const struct process_group *group);

/*
 * Reads every member and adds up what they have counted since their last readings. Members
 * that have ended leave with it. part: scratch.
 */
void process_group_read(struct process_group *group, struct process_targets *targets,
                        uint64_t now_ns, struct sample *part, struct sample *sum);

/*
 * The first reading of members that were opened between two rounds of readings, the last of which
 * was made at since_ns.
 */
void process_group_begin(struct process_group *group, uint64_t since_ns, uint64_t now_ns,
                         struct sample *part);

/* As counter_set_follow_pause(), for every member. */
void process_group_follow_pause(struct process_group *group);

/* Processes that live in it, and when the oldest started (0: there is none). */
uint64_t process_group_count(const struct process_group *group, uint64_t *ret_start_realtime_ns);

/*
 * Makes ready what process_group_adopt() takes over into, for each member whose process the
 * same group of another collector counts: threads only where it has all groups of events open
 * on them. 0 or -ENOMEM.
 */
int process_group_prepare(struct process_group *group, const struct process_group *from,
                          const struct process_opening *opening);

/*
 * Takes the open counters over: what the processes start goes on being counted with them. cpus:
 * as for counter_set_adopt().
 */
void process_group_adopt(struct process_group *group, struct process_group *from,
                         const struct cpu_list *cpus);
