/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How a collector keeps within its share of the PMU: who may have its counters. */

#include "metric/exporter_status.h"
#include "resolve/resolution_budget.h"

struct collector;

struct pmu_grants {
    struct pmu_share share;
    size_t longest_chain; /* the most counters that nested cgroups take at once, now */
    bool out_of_date;     /* cgroups came or went since the counters were given out */
};

/*
 * Finds how many counters are free and divides them over the classes of targets; after the kernel
 * was asked what can be counted, and before there are entries. before: the grants of the
 * predecessor, or NULL. 0 or -errno.
 */
int collector_divide_counters(struct collector *collector, const struct pmu_grants *before);

/*
 * Whether more of the PMU is free than when something was left out for want of it, while nothing
 * there is ours, so that it can be told.
 */
bool collector_may_grant_more(const struct collector *collector);

/*
 * Decides which of the nested cgroups have counters of the PMU, where cgroups have come or gone
 * since: newcomers for which a chain of nested cgroups has none left are counted without. Returns
 * true if some cgroup has got counters that are to be opened.
 */
bool collector_grant_counters(struct collector *collector, bool cgroups_changed);

void pmu_grants_status(const struct pmu_grants *grants, struct exporter_status *status);
