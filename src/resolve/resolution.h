/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a configuration asks to be counted, on this machine: its events resolved,
 * its groups, and for each class of targets (the machine, its CPUs, each rule for
 * cgroups or processes) what can be counted there and what is shown of it.
 */

#include "config/config.h"
#include "event/resolver.h"
#include "metric/catalogue.h"
#include "sys/perf_event.h"

struct target_class {
    enum scope_kind kind;
    struct event_groups *groups; /* NULL: this class is a sum of another one's targets */
    struct plan *plan;
    struct sample *sample;                 /* scratch for one reading … */
    struct sample *part;                   /* … and for one member of a group of processes */
    size_t n_counters;                     /* of the PMU that one target takes on a CPU … */
    struct event_groups *without_counters; /* … and the same groups without what takes them, for
                                              a target for which none are left; NULL: no need */
    bool unsure; /* the kernel could not tell what can be counted: more is tried than may succeed */
    struct plan_spec spec;
};

/* Places in struct resolution.classes; the rules for cgroups and for processes follow. */
enum { CLASS_MACHINE, CLASS_CPU, CLASS_CGROUP };

struct resolution {
    const struct config *config; /* borrowed */
    struct event **events;       /* each name of the configuration once */
    size_t n_events;
    struct target_class *classes; /* unused ones have no plan */
    size_t n_classes;
    size_t first_process; /* index of the class of the first rule for processes */
    bool pmu_is_taken;    /* of the counters of the PMU others hold all */
    struct ratio_spec *ratios;
    struct catalogue *catalogue;
};

/* Resolves and lays out; asks the kernel nothing yet. 0 or -ENOMEM. */
int resolution_new(const struct config *config, struct event_resolver *resolver,
                   struct resolution **ret_resolution);
struct resolution *resolution_free(struct resolution *resolution);
DEFINE_AUTO(resolution, struct resolution *, resolution_free)

/* Groups that a predecessor has open in some scope. */
struct open_groups {
    const struct event_group **groups;
    size_t n;
};

/*
 * Asks the kernel what a class can count and takes the answer over, with new plans;
 * only while no counter set of the class exists. A group that is open goes on with
 * what it counts, whatever the kernel says to newcomers now. Where the kernel cannot
 * tell (no descriptors), the class is `unsure` and all that may be counted is taken
 * as counted. 0 or -ENOMEM.
 */
int resolution_probe(struct resolution *resolution, size_t class_index, const struct perf_ops *ops,
                     const struct scope *scope, const struct open_groups *open);

/* Takes over what a class can count, one absence for each event, with new plans. 0 or -ENOMEM. */
int resolution_apply(struct resolution *resolution, size_t class_index,
                     const enum absence *absences);

/*
 * Whether the kernel would now let a class count more than it does, or, of an unsure
 * one, something else. 1, 0, or -errno where it cannot tell.
 */
int resolution_can_grow(struct resolution *resolution, size_t class_index,
                        const struct perf_ops *ops, const struct scope *scope);

/* The most events that a target of this kind has open, over its groups. */
size_t resolution_most_opened(const struct resolution *resolution, enum scope_kind kind);

/* Makes the catalogue anew from the plans as they stand. 0 or -ENOMEM. */
int resolution_update_catalogue(struct resolution *resolution);
