/* SPDX-License-Identifier: Apache-2.0 */
#include "history/recorder_latencies.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "history/open_target.h"

#define EVERY_NS (10 * NS_PER_SECOND)

static struct open_target *find_latencies(struct recorder *recorder,
                                          const struct open_target *target)
{
    AUTO_TEXT struct text key = {0};
    struct open_target *latencies;

    text_append_format(&key, LATENCIES_KIND ":%s", target->key);
    if (text_error(&key) < 0)
        return NULL;
    latencies = open_target_find_or_make(recorder, key.data, LATENCIES_KIND, &target->labels);
    if (latencies)
        latencies->is_beside = latencies->is_counted = true;
    return latencies;
}

static bool is_known(const uint64_t *totals, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (totals[i] != ROW_UNKNOWN)
            return true;
    return false;
}

static int add_row(struct recorder *recorder, const struct open_target *target,
                   const struct plan_binding *plan, const union number *numbers,
                   const struct snapshot *snapshot)
{
    const uint64_t *totals = &numbers[plan->plan->n_described].count;
    struct open_target *latencies;

    if (!is_known(totals, plan->latencies->n_totals) || !recorder_counts(plan, numbers))
        return 0;
    latencies = find_latencies(recorder, target);
    return latencies ? open_target_append(recorder, &latencies, plan->latencies, target->start,
                                          snapshot, totals)
                     : -ENOMEM;
}

int recorder_add_latencies(struct recorder *recorder, const struct snapshot *snapshot)
{
    const struct roster *roster = snapshot->roster;
    struct open_target *target, *next;
    size_t n = 0;
    int r = 0;

    if (recorder->latencies_taken_ns == 0) /* the first row is as far from the next as all others */
        recorder->latencies_taken_ns = snapshot->taken_ns;
    if (snapshot->taken_ns / EVERY_NS == recorder->latencies_taken_ns / EVERY_NS)
        return 0;
    recorder->latencies_taken_ns = snapshot->taken_ns;
    HASH_ITER(hh, recorder->targets, target, next)
        target->is_counted = target->is_counted && strcmp(target->kind, LATENCIES_KIND) != 0;
    for (size_t i = 0; i < roster->catalogue->n_plans; i++) {
        const struct plan_binding *plan = &recorder->plans[i];
        const union number *numbers = snapshot->numbers + roster->parts[i].first;

        for (size_t j = 0; j < roster->parts[i].n; j++, n++, numbers += plan->plan->n_numbers)
            if (plan->latencies && r == 0)
                r = add_row(recorder, recorder->rows[n], plan, numbers, snapshot);
    }
    return r == 0 ? recorder_add_by_key(recorder, snapshot) : r;
}
