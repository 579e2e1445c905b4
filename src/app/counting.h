/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a configuration asks to be counted, on this machine: its events resolved,
 * its groups, and for each class of targets (the machine, its CPUs, each rule for
 * cgroups) what can be counted there and what is shown of it.
 */

#include "app/config.h"
#include "event/resolver.h"
#include "metric/catalogue.h"
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
 * Asks the kernel what a class can count and takes the answer over, with new plans;
 * only while no counter set of the class exists. known: what was counted before, or
 * NULL: a group that is the same there keeps what it counts, whatever the kernel
 * says now, since its counters may still be open. 0; -ENOMEM; another -errno where
 * the kernel could not tell: then all that may be counted is taken as counted.
 */
int counting_probe(struct counting *counting, size_t class_index, const struct perf_ops *ops,
                   const struct scope *scope, const struct counting *known);

/* Whether the kernel would now let a class count more than it does. 1, 0, or -errno. */
int counting_can_grow(const struct counting *counting, size_t class_index,
                      const struct perf_ops *ops, const struct scope *scope);

/* Makes the catalogue anew from the plans as they stand. 0 or -ENOMEM. */
int counting_update_catalogue(struct counting *counting);
