/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a configuration asks to be counted, on this machine: its events resolved,
 * its groups, and for each class of targets (the machine, its CPUs, each rule for
 * cgroups) what can be counted there and what is shown of it.
 */

#include "app/config.h"
#include "event/resolver.h"
#include "metric/snapshot.h"
#include "sys/perf_event.h"

struct target_class {
    struct event_groups *groups; /* NULL: this class is a sum of another one's targets */
    struct plan *plan;
    struct sample *sample; /* scratch for one reading */
    struct plan_spec spec;
};

/* Places in struct counting.classes; the rules for cgroups follow. */
enum { CLASS_MACHINE, CLASS_CPU, CLASS_CGROUP };

struct counting {
    const struct config *config; /* borrowed */
    struct event **events;       /* each name of the configuration once */
    size_t n_events;
    struct target_class *classes; /* CLASS_CGROUP + config->n_cgroups; unused ones have no plan */
    size_t n_classes;
    struct ratio_spec *ratios;
    struct catalogue *catalogue;
};

/* Resolves and lays out; asks the kernel nothing yet. 0 or -ENOMEM. */
int counting_new(const struct config *config, struct event_resolver *resolver,
                 struct counting **ret_counting);
struct counting *counting_free(struct counting *counting);
DEFINE_AUTO(counting, struct counting *, counting_free)

/*
 * Asks the kernel what a class can count. 1 if that differs from what stands: then
 * absences (n_events of the class's groups; the caller frees) are to be applied by
 * counting_apply() after all counter sets of the class are closed. 0 if nothing
 * changed; -errno where the kernel could not tell.
 */
int counting_probe(const struct counting *counting, size_t class_index, const struct perf_ops *ops,
                   const struct scope *scope, enum absence **ret_absences);

/* Takes over what can be counted: new plans for the class (and the machine, where it is a sum). */
int counting_apply(struct counting *counting, size_t class_index, const enum absence *absences);

/* Makes the catalogue anew from the plans as they stand. 0 or -ENOMEM. */
int counting_update_catalogue(struct counting *counting);
