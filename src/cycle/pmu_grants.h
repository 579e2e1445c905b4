/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How a collector keeps within its share of the PMU: who may have its counters. */

#include "metric/exporter_status.h"
#include "resolve/resolution_budget.h"

struct collector;

struct pmu_grants {
    struct pmu_share share; /* what collector_probe() has found that we may take */
    size_t longest_chain;   /* the most counters that nested cgroups take at once, now */
    bool out_of_date;       /* cgroups came or went since the counters were given out */
};

/*
 * Decides which of the nested cgroups have counters of the PMU, where cgroups have come or gone
 * since: newcomers for which a chain of nested cgroups has none left are counted without. Returns
 * true if some cgroup has got counters that are to be opened.
 */
bool collector_grant_counters(struct collector *collector, bool cgroups_changed);

/* Writes into the status what is free, what is ours, and what is in use. */
void pmu_grants_status(const struct pmu_grants *grants, struct exporter_status *status);
