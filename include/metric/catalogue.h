/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What can be shown: the families, and where in which plan their numbers stand;
 * the events, and why some of them are not counted. Immutable and counted by
 * reference; references may be taken and dropped by any thread.
 */

#include <stddef.h>

#include "event/absence.h"
#include "metric/plan.h"

/* Where a family's samples are: a column of a plan. */
struct family_use {
    size_t plan; /* index in the catalogue */
    size_t column;
};

struct family {
    const char *name; /* borrowed from the first plan that has it, like the rest */
    const char *help;
    enum family_type type;
    enum number_form form;
    struct family_use *uses;
    size_t n_uses;
};

/* One event of one group in one scope: pmu_exporter_event_info and _supported. */
struct event_status {
    const char *scope; /* static */
    char *metric;      /* name of the counter family; empty where there is none */
    char *event, *group, *pmu, *encoding;
    enum absence absence;
};

struct catalogue {
    struct plan **plans;
    size_t n_plans;
    struct family *families;
    size_t n_families;
    struct event_status *events;
    size_t n_events;
};

/*
 * Takes references of the plans. A family is all columns of the same name. events
 * are copied. 0 or -ENOMEM.
 */
int catalogue_new(struct plan *const *plans, size_t n_plans, const struct event_status *events,
                  size_t n_events, struct catalogue **ret_catalogue);
struct catalogue *catalogue_ref(struct catalogue *catalogue);
struct catalogue *catalogue_unref(struct catalogue *catalogue);
DEFINE_AUTO(catalogue, struct catalogue *, catalogue_unref)
