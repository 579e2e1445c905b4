/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What struct bpf_groups is made of, and how groups are given to the program in the kernel, which
 * reads them at each switch and adds what they have counted to lanes that are chosen here. For
 * groups.c only.
 */

#include <sys/queue.h>

#include "count/bpf/groups.h"

/* A group on one CPU. */
struct bpf_place {
    int *descriptors; /* of the opened events, the leader first; NULL: not open */
    size_t n_users;
    bool enabled;
};

struct bpf_group {
    struct event_group events; /* we own the members; n_opened 0: the entry is free */
    struct event *codes;       /* the members' events, of which only the code is filled */
    /* Where the program has the group, while n_charged > 0: its events and lanes in a row. */
    size_t first_event, first_lane;
    size_t n_users;
    size_t n_charged;         /* users to whom the program charges what the group counts */
    struct bpf_place *places; /* [CPU number] */
};

struct bpf_groups {
    struct switch_program *program;
    const struct perf_ops *ops;
    size_t n_cpus, n_lanes, open_counters;
    unsigned *births;                     /* [CPU number]: the present birth of the CPU */
    LIST_HEAD(, departed_place) departed; /* places that ended when their CPU went offline */
    struct bpf_group groups[BPF_GROUPS_MAX];
};

/*
 * Gives a group to the program, on all CPUs where it is open: from now on what it counts is charged
 * to slots. 0; -ENOSPC: the program has no room for so many events or lanes; -errno.
 */
int bpf_charging_start(struct bpf_groups *groups, struct bpf_group *group);
/* Takes a group from the program. */
void bpf_charging_stop(struct bpf_groups *groups, const struct bpf_group *group);

/* Gives a charged group to the program on a CPU where it has just been opened. 0 or -errno. */
int bpf_charging_begin(struct bpf_groups *groups, const struct bpf_group *group, size_t cpu);
/* Takes a charged group from the program on one CPU. */
void bpf_charging_end(struct bpf_groups *groups, const struct bpf_group *group, size_t cpu);
