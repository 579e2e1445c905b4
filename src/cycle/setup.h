/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a collector is given when it is made, and who counts what by it. */

#include "config/config.h"
#include "count/bpf/latency_meter.h"
#include "count/bpf/mechanism.h"
#include "count/mechanism.h"
#include "event/resolver.h"
#include "metric/profile_status.h"
#include "metric/snapshot.h"
#include "profile/targets.h"
#include "resolve/mechanism_choice.h"
#include "sys/memory_limit.h"
#include "sys/perf_event.h"
#include "target/target_names.h"

/* Everything is borrowed for the collector's life. */
struct collector_setup {
    const struct config *config;
    struct event_resolver *resolver;
    const struct perf_ops *perf;
    struct mechanism *direct;     /* outlives the collector and its successor */
    struct mechanism *bpf;        /* outlives both too; NULL: everything is counted direct */
    struct mechanism *latency;    /* counts latencies: bpf, or one of its own, which outlives both
                                     too. NULL: they are not counted */
    const char *latency_reason;   /* why they are not, though they are wanted; else NULL. Static */
    const char *mechanism_reason; /* why bpf counts, or why it does not. Static */
    int sysfs_fd;
    int procfs_fd;
    int cgroup_root_fd;        /* -1: no cgroup can be counted here */
    bool cgroups_afresh;       /* what a predecessor has open for cgroups is not taken over */
    size_t descriptors;        /* how many may be held open, directories of cgroups included */
    struct memory_room memory; /* as it was when the collector was made */
    size_t targets_before;     /* how many cgroups the predecessor counts: they have their memory */
    struct profile_targets *profiles; /* learns whose samples are told apart; outlives the collector
                                         and its successor. NULL: nobody samples */
    struct profile_status_slot *profile_status; /* what who samples tells of it; NULL likewise */
    struct target_names *names; /* who names cgroups; outlives the collector and its successor.
                                   NULL: nobody */
    struct snapshot_slot *slot;
};

/* The mechanism that counts targets of a kind. */
static inline struct mechanism *setup_mechanism(const struct collector_setup *setup,
                                                enum scope_kind kind)
{
    return mechanism_is_shared(setup->bpf, kind) ? setup->bpf : setup->direct;
}

/* Brings what a program has counted to the present; call it before a round of readings. */
static inline void setup_refresh(const struct collector_setup *setup)
{
    if (setup->bpf)
        mechanism_refresh(setup->bpf);
    if (setup->latency && setup->latency != setup->bpf)
        mechanism_refresh(setup->latency);
}
