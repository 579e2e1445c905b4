/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/spare_counters.h"

#include <errno.h>
#include <stdlib.h>

#include "config/config.h"
#include "count/pmu_budget.h"
#include "count/pmu_probe.h"
#include "metric/account.h"

static size_t beyond(uint64_t all, uint64_t used)
{
    return all > used ? (size_t)(all - used) : 0;
}

/* Counts for a moment with the events that take a counter. */
static int find_free(const struct event_groups *groups, const struct scope *scope, size_t *ret_free)
{
    AUTO_FREE const struct event **events = calloc(groups->n_events + 1, sizeof(*events));
    size_t n = 0;

    if (!events)
        return -ENOMEM;
    for (size_t g = 0; g < groups->n_groups; g++)
        for (size_t i = 0; i < groups->groups[g].n_members; i++) {
            const struct group_member *member = &groups->groups[g].members[i];

            if (member->absence == ABSENCE_NONE && member->event->takes_counter)
                events[n++] = member->event;
        }
    *ret_free = 0;
    if (n == 0 || !scope->cpus || scope->cpus->n == 0)
        return 0;
    return pmu_probe_free(&perf_ops_kernel, events, n, scope->cpus, scope->hybrid, ret_free);
}

int spare_counters_find(const struct spare_counters *wanted, const struct exporter_status *status,
                        const struct event_groups *groups, const struct scope *scope,
                        size_t *ret_counters)
{
    const bool is_known = status && status->pmu_free != NUMBER_ABSENT_COUNT;
    const uint64_t used = status && status->pmu_used != NUMBER_ABSENT_COUNT ? status->pmu_used : 0;
    uint64_t budget = wanted->limit;
    size_t n_free;
    int r;

    if (wanted->limit == CONFIG_ALL_COUNTERS) {
        *ret_counters = PMU_COUNTERS_ALL;
        return 0;
    }
    if (is_known) {
        budget = budget ? budget : pmu_budget_half(status->pmu_free);
        *ret_counters = beyond(wanted->takes_free ? status->pmu_free : budget, used + wanted->held);
        return 0;
    }
    r = find_free(groups, scope, &n_free);
    if (r < 0)
        return r;
    /* Nothing of the collector's is counted; what other runs hold was not found free. */
    if (wanted->takes_free)
        *ret_counters = n_free;
    else
        *ret_counters =
            beyond(budget ? budget : pmu_budget_half(n_free + wanted->held), wanted->held);
    return 0;
}
