/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the exporter tells of itself in one cycle. Single numbers are uint64_t, because
 * expose/own_families.c writes them from a table of offsets.
 */

#include <stdint.h>

#include "count/breakdown.h"
#include "count/latency.h"
#include "count/scope.h"
#include "event/absence.h"
#include "metric/profile_status.h"
#include "sys/bpf/spans/program.h"
#include "sys/bpf/syscalls/counts.h"

/* How targets of a kind are counted. The texts are static. */
struct mechanism_status {
    const char *name; /* "direct" or "bpf"; NULL if no target of the kind is wanted */
    const char *reason;
};

/* Whether a part of the distributions of latency can be had here. The text is static. */
struct latency_status {
    bool wanted;        /* some target asks for it */
    const char *reason; /* why it is not there; NULL: it is */
};

/* A span that is wanted. */
struct span_status {
    char name[BREAKDOWN_LABEL_BYTES];
    char reason[200]; /* why it is not followed; empty: it is */
};

/* Those that are wanted, in the order of the configuration. */
struct span_statuses {
    struct span_status spans[SPANS_MOST];
    size_t n;
};

/* System calls that are wanted to be timed, in the order of the configuration. */
struct timed_calls_status {
    unsigned calls[SYSCALLS_MOST_TIMED]; /* their numbers */
    size_t n;
    unsigned one_in;    /* of so many of these calls of a thread one is timed */
    const char *reason; /* why none is; NULL: they are. Static */
};

struct exporter_status {
    uint64_t interval_ns;
    uint64_t targets[SCOPE_KIND_COUNT_];                   /* counted now */
    uint64_t uncounted[SCOPE_KIND_COUNT_][ABSENCE_COUNT_]; /* wanted and not counted now */
    uint64_t dropped[SCOPE_KIND_COUNT_][ABSENCE_COUNT_];   /* refused since the start */
    uint64_t open_counters;
    uint64_t target_descriptors; /* descriptors that targets hold beside their counters */
    uint64_t cycles;
    uint64_t cycles_late;
    uint64_t cycle_duration_ns;
    uint64_t cgroup_rescans;
    uint64_t cgroup_watching; /* 0 or 1 */
    uint64_t process_rescans;
    uint64_t process_record_losses;
    uint64_t process_watching;    /* 0 or 1 */
    uint64_t processes_hidden;    /* 0 or 1; NUMBER_ABSENT_COUNT if no processes are wanted */
    uint64_t processes_put_off;   /* will be looked at in later cycles */
    uint64_t processes_undecided; /* a pattern took too long over their arguments */
    uint64_t config_reload_realtime_ns;
    uint64_t reopened;              /* groups of counters that could not be read */
    uint64_t config_reload_good;    /* 0 or 1 */
    uint64_t paused;                /* 0 or 1 */
    uint64_t pause_end_realtime_ns; /* means something only while paused */
    uint64_t pmu_free;              /* counters that a CPU had; NUMBER_ABSENT_COUNT if not known */
    uint64_t pmu_budget;            /* counters that we may use; absent likewise */
    uint64_t pmu_used;              /* counters that can be in use at once; absent likewise */
    uint64_t untold_switches;       /* switches that the kernel counted and did not show to bpf */
    uint64_t unattributed_ns;       /* CPU time that is in doubt because of these switches */
    double unattributed_share; /* this time / all CPU time, last whole minute; NaN: not known */
    struct mechanism_status mechanisms[SCOPE_KIND_COUNT_];
    struct latency_status latency[LATENCY_PARTS]; /* in the order of latency_parts */
    struct span_statuses spans;
    struct timed_calls_status timed_calls;
    uint64_t latency_without_room; /* targets that want latencies and have none for want of room */
    uint64_t latency_unknown;      /* waits and blocks whose length could not be told */
    struct profile_status profile;
};
