/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the groups of the CPUs are made of, and which of them the program in the kernel reads:
 * where it adds what it reads is found here. Shared with switch_groups.c, with nobody else.
 */

#include <sys/queue.h>

#include "count/bpf/groups.h"

/* One group on one CPU. */
struct switch_place {
    int *descriptors; /* NULL: not open */
    size_t n_users;
    bool enabled;
};

struct switch_group {
    struct event_group events;      /* its members are ours; n_opened 0: the entry is free */
    struct event *codes;            /* of the members; nothing of them but what opening takes */
    size_t first_event, first_lane; /* of the program's, while it has charged users */
    size_t n_users;
    size_t n_charged;            /* of those */
    struct switch_place *places; /* [CPU number] */
};

struct switch_groups {
    struct switch_program *program;
    const struct perf_ops *ops;
    size_t n_cpus, n_lanes, open_counters;
    unsigned *births;                     /* [CPU number] */
    LIST_HEAD(, departed_place) departed; /* places of CPUs that have gone */
    struct switch_group groups[SWITCH_GROUPS_MAX];
};

/*
 * Has the program charge a group to slots from now on, wherever it is open. 0; -ENOSPC: there is
 * no room for it; -errno.
 */
int switch_charging_start(struct switch_groups *groups, struct switch_group *group);
void switch_charging_stop(struct switch_groups *groups, const struct switch_group *group);

/* The same for a group that is charged, on a CPU where it has just been opened. */
int switch_charging_begin(struct switch_groups *groups, const struct switch_group *group,
                          size_t cpu);
void switch_charging_end(struct switch_groups *groups, const struct switch_group *group,
                         size_t cpu);
