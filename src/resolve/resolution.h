/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a configuration asks to be counted: its events resolved, its groups laid out, and for each
 * class of targets (the machine, its CPUs, each rule for cgroups or processes) what can be counted
 * there and what is shown of it.
 *
 * resolution_new() knows the configuration and the names of events. resolution_decide()
 * (resolve/resolution_decide.h) then asks the machine, once, before any counter of the classes is
 * opened: it decides what is counted, and makes the plans and the catalogue of it.
 */

#include "config/config.h"
#include "event/expansion.h"
#include "event/resolver.h"
#include "metric/catalogue.h"
#include "sys/perf_event.h"

struct resolved_span;

struct target_class {
    enum scope_kind kind;
    const char *pmu; /* the PMU whose events it counts, if that counts no core; borrowed of them */
    struct event_groups *groups; /* NULL: unused, or the machine as the sum of its CPUs */
    enum config_by by;           /* what each CPU or NUMA node had is to be shown, too */
    struct plan_spec spec;       /* what is to be shown; without a prefix the class is unused */
    struct plan *plan;           /* made when it is known what is counted; NULL: unused */
    struct sample *sample;       /* scratch memory: one reading of a target */
    struct sample *part;         /* scratch memory: one reading of a member of a process group */
    size_t n_counters;           /* counters of the PMU that one target takes on a CPU */
    /*
     * The same groups without the events that take counters: for a target for which no counters
     * are left. NULL: there is no such target.
     */
    struct event_groups *without_counters;
    bool unsure; /* the kernel could not tell what can be counted: more is tried than may succeed */
};

/* A name of the configuration that stands for several events, and their names. */
struct expanded_name {
    const char *name; /* borrowed from the configuration */
    struct event_expansion expansion;
};

/*
 * Places in struct resolution.classes; the rules for cgroups and for processes follow, and then the
 * PMUs that count no core.
 */
enum { CLASS_MACHINE, CLASS_CPU, CLASS_CGROUP };

struct resolution {
    const struct config *config; /* borrowed */
    struct event **events;       /* each event once, by the name in the configuration */
    size_t n_events;
    struct expanded_name *expanded; /* each name that stands for several events, once */
    size_t n_expanded;
    char **part_names; /* of the second and later parts of groups, each once */
    size_t n_part_names;
    struct resolved_span *spans; /* those of the configuration, in its order */
    size_t n_spans;
    struct target_class *classes;
    size_t n_classes;
    size_t first_process; /* index of the class of the first rule for processes */
    size_t first_uncore;  /* index of the first class of a PMU that counts no core: the last ones */
    bool pmu_is_taken;    /* others hold all counters of the PMU */
    struct ratio_spec *ratios;
    struct catalogue *catalogue; /* NULL before it is decided what is counted */
};

/*
 * Resolves the events and lays out the groups; asks the kernel nothing, and makes no plans yet.
 * config and resolver: borrowed, the configuration for the life of the resolution. 0 or -ENOMEM.
 */
int resolution_new(const struct config *config, struct event_resolver *resolver,
                   struct resolution **ret_resolution);
struct resolution *resolution_free(struct resolution *resolution);
DEFINE_AUTO(resolution, struct resolution *, resolution_free)

/*
 * The event of this name; NULL: no group of the configuration has it, or the name stands for
 * several events.
 */
const struct event *resolution_find_event(const struct resolution *resolution, const char *name);

/* What a name stands for; NULL: it is that of a single event. */
const struct event_expansion *resolution_find_expansion(const struct resolution *resolution,
                                                        const char *name);

/*
 * The events of a group, each once: first those that it names by themselves, in their order, so
 * that they are together in the first part of it (resolve/resolution_groups.h); then those for
 * which its wildcards stand. Returns how many there are. ret_events: an array that the caller
 * frees; NULL if there is no memory.
 */
size_t resolution_group_events(const struct resolution *resolution,
                               const struct config_group *group, const struct event ***ret_events);

/*
 * Whether a tracepoint that could not be looked up, since tracefs was not mounted or not readable,
 * can be looked up now: another resolution would then have more events.
 */
bool resolution_could_find_more(const struct resolution *resolution,
                                struct event_resolver *resolver);

/* The most events that a target of this kind has open on a CPU or thread, over its groups. */
size_t resolution_most_opened(const struct resolution *resolution, enum scope_kind kind);
