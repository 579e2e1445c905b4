/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * An event is one thing that can be counted. The configuration names it, and a source of events
 * resolves the name to what perf_event_open(2) takes. It never changes afterwards.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "event/absence.h"

/* The scale of events that count nanoseconds: their unit is "seconds". */
#define EVENT_SCALE_NANOSECONDS 1e-9

/* The fields of struct perf_event_attr that make the difference between events. */
struct event_code {
    uint32_t type;
    uint64_t config;
    uint64_t config1;
    uint64_t config2;
    bool exclude_user;
    bool exclude_kernel;
    bool exclude_hypervisor;
};

/* Whether both are the same to the kernel. */
static inline bool event_code_equal(const struct event_code *a, const struct event_code *b)
{
    return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
           a->config2 == b->config2 && a->exclude_user == b->exclude_user &&
           a->exclude_kernel == b->exclude_kernel && a->exclude_hypervisor == b->exclude_hypervisor;
}

struct event {
    char *name;           /* as it was configured: "cache-misses:u" */
    char *metric;         /* its part of the names of metrics, without unit: "cache_misses_user" */
    char *description;    /* one line without a full stop, for HELP; may be empty */
    char *encoding;       /* for HELP and people: "cpu/config=0x3/u" or "type=0 config=0x3" */
    char *pmu;            /* the PMU that counts it: "cpu", "software"; empty: not known */
    char *unit;           /* what is counted: "seconds", "joules"; NULL: occurrences */
    double scale;         /* how many of the unit a raw count of 1 is; 1 without a unit */
    bool takes_counter;   /* it takes one of the hardware counters of a core PMU */
    bool is_clock;        /* it counts time on a CPU; system-wide that is wall time, and absent */
    enum absence absence; /* why the name alone cannot be counted: unknown_event, or no_pmu if its
                             PMU is not on this machine. ABSENCE_NONE: perhaps it can */
    struct event_code code; /* meaningful where `absence` is ABSENCE_NONE */
};

/*
 * Whether both are the same to the kernel, however they are spelled ("cycles", "cpu-cycles"). Of
 * events that have no code, since their names are unknown or their PMU is missing, the names tell.
 */
bool event_is_same(const struct event *a, const struct event *b);

/* Whether the raw count is a time in nanoseconds, which is written as seconds exactly. */
bool event_counts_nanoseconds(const struct event *event);

struct event *event_free(struct event *event);
DEFINE_AUTO(event, struct event *, event_free)
