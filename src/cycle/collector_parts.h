/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a collector is made of, between rounds. Each part has an owner, the module of its name,
 * which alone changes it. What one stage of a round learns and the next needs is handed on as a
 * value (round.h) and does not stand here.
 */

#include "cycle/collector.h"
#include "cycle/counted_cgroups.h"
#include "cycle/counted_cpus.h"
#include "cycle/counted_processes.h"
#include "cycle/ledger.h"
#include "cycle/machine.h"
#include "cycle/movement.h"
#include "cycle/notices.h"
#include "cycle/open.h"
#include "cycle/pmu_grants.h"
#include "cycle/probe.h"
#include "cycle/round.h"
#include "cycle/uncore.h"
#include "metric/exporter_status.h"
#include "metric/roster.h"
#include "resolve/resolution.h"
#include "sys/memory.h"

struct collector {
    struct collector_setup setup;
    struct resolution *resolution;
    struct counted_cpus cpus;
    struct counted_cgroups cgroups;
    struct counted_processes processes;
    struct pmu_grants pmu;
    struct prober prober;
    struct ledger ledger;
    struct machine machine;
    struct uncore uncore;
    struct opener opener;
    struct movement movement;
    struct notices notices;
    struct readings readings; /* what the last round of readings came to */
    struct roster *roster;    /* the roster of the last snapshot; NULL: there was none yet */
    uint64_t names_seen;      /* how far the changes of names have been looked at */
    uint64_t cpu_times_slot;  /* the ten seconds of the last CPU times (cpu_times.h) */
    bool cpu_times_missed;    /* there was a pause since then */
    struct memory_state memory;
    struct span_statuses spans; /* what became of the spans that are wanted */
    struct timed_calls_status timed_calls;
    struct exporter_status status; /* what the stages add up; publishing fills in the rest */
};

/* The class of targets that an entry is of. */
static inline struct target_class *collector_class(const struct collector *collector,
                                                   const struct entry *entry)
{
    return &collector->resolution->classes[entry->class_index];
}
