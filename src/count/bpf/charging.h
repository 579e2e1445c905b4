/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the groups of the CPUs are made of, and which of them the program in the kernel reads:
 * where it adds what it reads is found here. Shared with bpf_groups.c, with nobody else.
 */

#include <sys/queue.h>

#include "count/bpf/groups.h"

/* One group on one CPU. */
struct bpf_place {
    int *descriptors; /* NULL: not open */
    size_t n_users;
    bool enabled;
};

struct bpf_group {
    struct event_group events;      /* its members are ours; n_opened 0: the entry is free */
    struct event *codes;            /* of the members; nothing of them but what opening takes */
    size_t first_event, first_lane; /* of the program's, while it has charged users */
    size_t n_users;
    size_t n_charged;         /* of those */
    struct bpf_place *places; /* [CPU number] */
};

struct bpf_groups {
    struct switch_program *program;
    const struct perf_ops *ops;
    size_t n_cpus, n_lanes, open_counters;
    unsigned *births;                     /* [CPU number] */
    LIST_HEAD(, departed_place) departed; /* places of CPUs that have gone */
    struct bpf_group groups[BPF_GROUPS_MAX];
};

/*
 * Has the program charge a group to slots from now on, wherever it is open. 0; -ENOSPC: there is
 * no room for it; -errno.
 */
int bpf_charging_start(struct bpf_groups *groups, struct bpf_group *group);
void bpf_charging_stop(struct bpf_groups *groups, const struct bpf_group *group);

/* The same for a group that is charged, on a CPU where it has just been opened. */
int bpf_charging_begin(struct bpf_groups *groups, const struct bpf_group *group, size_t cpu);
void bpf_charging_end(struct bpf_groups *groups, const struct bpf_group *group, size_t cpu);
