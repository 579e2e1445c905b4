/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * An event is one thing that can be counted. The configuration names it, and a source of events
 * resolves the name to what perf_event_open(2) takes. It never changes afterwards.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/shared_text.h"
#include "event/absence.h"

/* The scale of events that count nanoseconds: their unit is "seconds". */
#define EVENT_SCALE_NANOSECONDS 1e-9

/*
 * Where the type of a core PMU stands in the config of a generic event that is bound to it:
 * PERF_PMU_TYPE_SHIFT of linux/perf_event.h, which headers before Linux 5.13 lack.
 */
#define EVENT_PMU_TYPE_SHIFT 32

/*
 * What the kernel is told of an event: the fields of struct perf_event_attr that make the
 * difference between events, and the filter that is set once the event is open.
 */
struct event_code {
    uint32_t type;
    uint64_t config;
    uint64_t config1;
    uint64_t config2;
    /*
     * Where the machine has several kinds of cores: the type of the core PMU that alone has this
     * event ("cpu_atom/…/"). 0: each core counts it with its own PMU, or it is of no core.
     */
    uint32_t core_type;
    bool exclude_user;
    bool exclude_kernel;
    bool exclude_hypervisor;
    bool exclude_host;  /* nothing is counted but while a guest runs */
    bool exclude_guest; /* nothing is counted while a guest runs */
    bool exclude_idle;  /* nothing is counted while the CPU's idle task runs */

    /*
     * What the kernel reads from our memory, as the function of a kprobe or the file of a uprobe:
     * config1 is then the address of this text, whatever its value above. NULL: config1 is a
     * number.
     */
    struct shared_text *config1_text;

    /*
     * The file that config1_text leads to, as it was found; 0: it is no path. The kernel is not
     * told. After an update another file has the path, and its event is another one.
     */
    uint64_t config1_device;
    uint64_t config1_inode;

    /* A filter over the fields of a tracepoint (PERF_EVENT_IOC_SET_FILTER); NULL: none. */
    struct shared_text *filter;
};

/* Whether both are the same to the kernel. */
bool event_code_equal(const struct event_code *a, const struct event_code *b);

/*
 * Whether it is an event of a probe. Each one that is open is a probe of its own in the kernel: it
 * runs at each hit, whoever has the hit, and takes the kernel about a tenth of a second to close.
 */
static inline bool event_code_is_probe(const struct event_code *code)
{
    return code->config1_text != NULL;
}

/* Another owner of the same texts. event_code_done() gives them up. */
struct event_code event_code_copy(const struct event_code *code);
void event_code_done(struct event_code *code);

/* Where the name of an event comes from. */
enum event_kind {
    EVENT_UNKNOWN,    /* no source knows the name */
    EVENT_HARDWARE,   /* a generic event that a core PMU counts: "cycles" */
    EVENT_SOFTWARE,   /* a generic event that the kernel counts: "page-faults" */
    EVENT_CACHE,      /* a generic event of caches and their like: "LLC-loads" */
    EVENT_RAW,        /* a code of a core PMU: "r01c0" */
    EVENT_PMU,        /* an event that a PMU has in sysfs: "cpu/event=0xc0/", "msr/tsc/" */
    EVENT_PFM,        /* a name of a CPU's manual, by libpfm4: "INST_RETIRED:ANY_P" */
    EVENT_TRACEPOINT, /* "sched:sched_switch" */
    EVENT_PROBE,      /* a probe that the configuration defines: "probe:NAME" */
    EVENT_KIND_COUNT_,
};

/* The word for people: "hardware", "tracepoint". Static. */
const char *event_kind_name(enum event_kind kind);

struct event {
    enum event_kind kind;
    char *name;           /* as it was configured: "cache-misses:u" */
    char *metric;         /* its part of the names of metrics, without unit: "cache_misses_user" */
    char *description;    /* one line without a full stop, for HELP; may be empty */
    char *encoding;       /* for HELP and people: "cpu/config=0x3/u" or "type=0 config=0x3";
                             empty: the code is not known, as that of an absent PMU */
    char *pmu;            /* the PMU that counts it: "cpu", "software"; empty: not known */
    char *unit;           /* what is counted: "seconds", "joules"; NULL: occurrences */
    double scale;         /* how many of the unit a raw count of 1 is; most events without a unit
                             have 1 */
    bool is_uncore;       /* its PMU counts no core but the machine: on its own CPUs only, for no
                             cgroup and no process, and as pmu_uncore_*{pmu,socket}. `pmu` may
                             then stand for several instances: "uncore_imc" */
    bool takes_counter;   /* it takes one of the hardware counters of a core PMU */
    bool is_clock;        /* it counts time on a CPU; system-wide that is wall time, and absent */
    char *fields;         /* names of the fields of a tracepoint, with ", " between them; NULL: not
                             known */
    bool is_of_subsystem; /* a tracepoint that is counted since a wildcard stands for it: it is a
                             part of one family for all of them, as {subsystem,name} */
    enum absence absence; /* why the name alone cannot be counted: unknown_event, or no_pmu if its
                             PMU is not on this machine; not_supported if what it stands for is
                             not there; not_permitted if we may not look it up; bad_filter.
                             ABSENCE_NONE: perhaps it can */
    char *why;            /* what people are told of the absence: which function a file does not
                             have, which field a PMU, and which is nearest; NULL: nothing more than
                             `absence` says */
    struct event_code code; /* meaningful where `encoding` is not empty */

    /*
     * What is nearest to a generic event, where the kernel may refuse it on this machine's PMU; it
     * may have a fallback in its turn. NULL: there is none.
     */
    struct event *fallback;
    char *counted_as; /* the event that is counted in place of this one; NULL: it is itself */
};

/*
 * Makes the event one that counts what this one of its fallbacks does: what the kernel is told, the
 * PMU, the encoding and the description become those of the fallback, which is freed with those
 * before it. The names stay. 0 or -ENOMEM.
 */
int event_take_fallback(struct event *event, const struct event *wanted);

/*
 * Whether both are the same to the kernel, however they are spelled ("cycles", "cpu-cycles"). Of
 * events that have no code, since their names are unknown or their PMU is missing, the names tell.
 */
bool event_is_same(const struct event *a, const struct event *b);

/* Whether it is a tracepoint that could not be looked up; if tracefs is there later, it may be. */
bool event_could_not_be_looked_up(const struct event *event);

/* Whether the raw count is a time in nanoseconds, which is written as seconds exactly. */
bool event_counts_nanoseconds(const struct event *event);

/*
 * Gives an event a filter, which its encoding shows: the kernel counts an occurrence only if the
 * condition over its fields is true. An event that has no fields, or not one that the filter names,
 * is absent then (bad_filter, with `why`). What else is wrong, the kernel says when the event is
 * opened. 0 or -ENOMEM.
 */
int event_set_filter(struct event *event, const char *filter);

/*
 * Makes a tracepoint for which a wildcard stands part of the family of all of them. Other events
 * stay as they are. 0 or -ENOMEM.
 */
int event_join_subsystem(struct event *event);

/*
 * Makes an event that stands for what is left out of a name, and is never counted. It takes the
 * text `why`, and leaves that empty. NULL: no memory.
 */
struct text;
struct event *event_new_absent(const char *name, enum absence absence, struct text *why);

struct event *event_free(struct event *event);
DEFINE_AUTO(event, struct event *, event_free)
