/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How many of a CPU's counters a run may take beside what the configuration counts. What is left of
 * our share is for runs; who asks for it also gets what is kept free for others.
 */

#include "count/event_group.h"
#include "metric/exporter_status.h"

struct spare_counters {
    uint64_t limit;  /* limits.pmu_counters of the configuration */
    bool takes_free; /* what is kept free for others is asked for, too */
    size_t held;     /* counters that other runs hold */
};

/*
 * Writes how many there are, PMU_COUNTERS_ALL where there is no limit. status: what the collector
 * last said, and NULL before it said anything. Where it needs no counter itself, nobody has found
 * out how many are free: then that is found now, by counting for some milliseconds with the events
 * of the groups. 0 or -errno.
 */
int spare_counters_find(const struct spare_counters *wanted, const struct exporter_status *status,
                        const struct event_groups *groups, const struct scope *scope,
                        size_t *ret_counters);
