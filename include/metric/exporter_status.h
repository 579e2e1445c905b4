/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The exporter about itself. Single numbers are uint64_t: they are written from a table. */

#include <stdint.h>

#include "count/scope.h"
#include "event/absence.h"

/* How targets of a kind are counted. Static texts. */
struct mechanism_status {
    const char *name; /* "direct"; NULL: none of the kind are wanted */
    const char *reason;
};

struct exporter_status {
    uint64_t interval_ns;
    uint64_t targets[SCOPE_KIND_COUNT_]; /* counted now */
    uint64_t uncounted[SCOPE_KIND_COUNT_][ABSENCE_COUNT_];
    uint64_t dropped[SCOPE_KIND_COUNT_][ABSENCE_COUNT_];
    uint64_t open_counters;
    uint64_t cycles;
    uint64_t cycles_late;
    uint64_t cycle_duration_ns;
    uint64_t cgroup_rescans;
    uint64_t cgroup_watching; /* 0 or 1 */
    uint64_t process_rescans;
    uint64_t process_record_losses;
    uint64_t process_watching;    /* 0 or 1 */
    uint64_t processes_hidden;    /* 0 or 1; NUMBER_ABSENT_COUNT: none are wanted */
    uint64_t processes_put_off;   /* to be looked at in later cycles */
    uint64_t processes_undecided; /* patterns took too long over their arguments */
    uint64_t config_reload_realtime_ns;
    uint64_t reopened;           /* cells that could not be read */
    uint64_t config_reload_good; /* 0 or 1, like the next */
    uint64_t paused;
    uint64_t pause_end_realtime_ns; /* meaningful while paused */
    uint64_t pmu_free; /* counters of the PMU on a CPU; these are NUMBER_ABSENT_COUNT if unknown */
    uint64_t pmu_budget;
    uint64_t pmu_used;
    uint64_t untold_switches;  /* that the kernel has counted and not shown … */
    uint64_t unattributed_ns;  /* … and what time, over all CPUs, is in doubt because of them */
    double unattributed_share; /* of the CPUs' time in the last whole minute; NaN: not known */
    struct mechanism_status mechanisms[SCOPE_KIND_COUNT_];
};
