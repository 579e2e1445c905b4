/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The processes that are counted under one name. What the group has counted is the sum
 * of what its members have, each with counters of its own, and outlives them.
 */

#include "count/bpf/latency_meter.h"
#include "count/mechanism.h"
#include "target/process_targets.h"

/* Counters of threads that were opened together, or of whole processes. */
struct task_counters {
    struct counter_set *set;
    pid_t *tasks; /* the tasks of the set's scope, ascending */
    size_t n_tasks;
    bool begun;  /* there was a reading: the next one tells what was counted since */
    bool whole;  /* the next reading is of a whole interval, so that it has a rate */
    bool ended;  /* it is read once more and then closed */
    bool unsure; /* it was opened at a birth: threads made at that moment may not be counted */
};

/* One target of the set of processes. */
struct process_member {
    struct process_target *target; /* borrowed; once it is gone, released with the member */
    struct task_counters *counters;
    size_t n_counters;
    struct latency_meter *latencies; /* NULL: they are not wanted, or cannot be counted */
    uint64_t latencies_retry_ns;     /* CLOCK_MONOTONIC: a meter is not tried again before */
    enum absence absence;       /* why its threads are not opened; see process_member_absence() */
    enum absence noted_absence; /* why it was not counted at the last reading */
    uint64_t retry_at_ns;       /* CLOCK_MONOTONIC until which a refusal for a limit stands */
    bool ended;                 /* it is read once more and then freed */
    struct process_member *next;
};

/* For how long members that have left had run on each CPU (process_times.h). */
struct past_times {
    const struct cpu_list *cpus; /* borrowed */
    uint64_t *ran_ns;            /* [cpu], in ns; NULL: none has left */
    bool is_lost;                /* there was no memory for it: nothing can be told any more */
};

struct process_group {
    char *name;  /* the value of its label groupname */
    int rule;    /* index of the rule that made it; its groups of events are the rule's */
    bool single; /* the name tells one process from another: the group ends with its process */
    pid_t pid;   /* process that became a member last; its number may be another's by now */
    uint64_t start_ticks; /* when that process started: with the number it is that process */
    struct process_member *members;
    struct past_times past;
};

/* What opening needs beside the member. */
struct process_opening {
    struct mechanism *mechanism;
    struct mechanism *latency; /* counts latencies; NULL: they are not wanted, or not counted */
    const struct event_groups *groups;
    struct process_targets *targets;
    const struct cpu_list *cpus; /* CPUs where whole processes are counted; outlive what is open */
    const struct pmu_list *hybrid; /* as in struct scope; outlives what is open, too */
    bool can_inherit_threads;      /* the kernel can: event_can_inherit_threads() */
    size_t threads_left;           /* how many threads may still be opened */
    bool at_birth; /* the process was just born: the next cycle looks whether it was whole */
    uint64_t now_ns;
};

/* NULL if there is no memory. */
struct process_group *process_group_new(const char *name, int rule, bool single);

/* Copies a group without its members, for another rule. NULL if there is no memory. */
struct process_group *process_group_copy(const struct process_group *from, int rule);

/* targets: the set of the members' targets, which releases those that are gone. */
struct process_group *process_group_free(struct process_group *group,
                                         struct process_targets *targets);

/* Makes a target a member, without counters yet, and the member its owner. 0 or -ENOMEM. */
int process_group_add(struct process_group *group, struct process_target *target);

/*
 * Whether this process goes on with what the group has counted. Any process does, except where the
 * name tells one process from another: then only the process that was its member, as when it has
 * executed another program, or there was no room for it for a while.
 */
bool process_group_goes_on_with(const struct process_group *group,
                                const struct process_target *next);

/* Whether a group of the same name of another collector, with members, goes on with this one. */
bool process_group_is_same(const struct process_group *group, const struct process_group *other);

/*
 * Whether the name tells one process from another and its process has ended: then the next process
 * of that name begins another group.
 */
bool process_group_is_over(const struct process_group *group, const struct process_target *next);

/* The target is gone: the next reading is the member's last. */
void process_member_end(struct process_member *member);

/* Whether some member has this group of events open. */
bool process_group_is_open(const struct process_group *group, size_t index);

/* Whether members have counters, and nothing of these has been read yet. */
bool process_group_is_unread(const struct process_group *group);

/* Whether something of the group ought to be open and is not. */
bool process_group_is_incomplete(const struct process_group *group);

/*
 * Reads every member and adds up what they have counted since their last readings. Members
 * that have ended leave the group then. part: scratch.
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

/* How many processes live in it, and when the oldest of them started (0: there is none). */
uint64_t process_group_count(const struct process_group *group, uint64_t *ret_start_realtime_ns);

/*
 * Makes ready what process_group_adopt() takes over into, for each member whose process the
 * same group of another collector counts: threads only where it has all groups of events open
 * on them. 0 or -ENOMEM.
 */
int process_group_prepare(struct process_group *group, const struct process_group *from,
                          const struct process_opening *opening);

/* Has the meters of processes begin where those end that the other group has for them. */
void process_group_hand_over_latencies(struct process_group *group, struct process_group *from);

/* Takes over the meters of latencies of the same processes, if they are of this mechanism. */
void process_group_adopt_latencies(struct process_group *group, struct process_group *from,
                                   const struct mechanism *latency);

/*
 * Takes the open counters over: what the processes start goes on being counted with them. cpus:
 * as for counter_set_adopt().
 */
void process_group_adopt(struct process_group *group, struct process_group *from,
                         const struct cpu_list *cpus);
