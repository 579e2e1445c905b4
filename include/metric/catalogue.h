/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The catalogue of what can be shown. It lists the metric families, with the plans and columns
 * where their numbers are, and the events, with the reason for each that is not counted. It is
 * immutable and counted by reference; any thread may take and drop references.
 */

#include <stddef.h>

#include "event/absence.h"
#include "metric/plan.h"

enum family_use_kind { USE_COLUMN, USE_HISTOGRAM, USE_BREAKDOWN };

/* One place where a family has samples. */
struct family_use {
    enum family_use_kind kind;
    size_t plan;  /* index in catalogue.plans */
    size_t index; /* in plan.columns, plan.histograms or plan.breakdowns */
};

struct family {
    const char *name; /* borrowed from the first plan that has the family */
    const char *help; /* borrowed as well */
    enum family_type type;
    struct family_use *uses;
    size_t n_uses;
};

/*
 * One event of one group in one scope. pmu_exporter_event_info and
 * pmu_exporter_event_supported are written from it.
 */
struct event_status {
    const char *scope; /* static */
    char *metric;      /* name of the family of its totals; empty if there is none */
    char *event, *group, *pmu, *encoding;
    enum absence absence;
    char *counted_as; /* the event that is counted in place of this one; NULL: it is itself */
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
 * Makes a catalogue of the plans, of which it takes references, and of the events, which it
 * copies. Columns of the same name are one family. 0 or -ENOMEM.
 */
int catalogue_new(struct plan *const *plans, size_t n_plans, const struct event_status *events,
                  size_t n_events, struct catalogue **ret_catalogue);
struct catalogue *catalogue_ref(struct catalogue *catalogue);
struct catalogue *catalogue_unref(struct catalogue *catalogue);
DEFINE_AUTO(catalogue, struct catalogue *, catalogue_unref)
