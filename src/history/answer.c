/* SPDX-License-Identifier: Apache-2.0 */

/* What answers are made of, and the time between their points. */
#include "base/clock.h"
#include "history/key.h"
#include "history/store.h"

static void free_labels(struct history_label labels[HISTORY_LABELS])
{
    for (size_t i = 0; i < HISTORY_LABELS; i++) {
        free(labels[i].name);
        free(labels[i].value);
    }
}

struct history_answer *history_answer_free(struct history_answer *answer)
{
    if (!answer)
        return NULL;
    for (size_t i = 0; i < answer->n_series; i++) {
        free(answer->series[i].name);
        free(answer->series[i].values);
        free_labels(answer->series[i].labels);
    }
    free(answer->series);
    free(answer->times_ns);
    key_free_labels(answer->labels, answer->n_labels);
    free(answer);
    return NULL;
}

struct history_cpus *history_cpus_free(struct history_cpus *cpus)
{
    if (!cpus)
        return NULL;
    free(cpus->cpus);
    free(cpus->times_ns);
    free(cpus->shares);
    free(cpus);
    return NULL;
}

/* Steps that people know from clocks. */
static const uint64_t steps_s[] = {1,   2,   5,    10,   15,   20,    30,    60,    120,  300,
                                   600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};

static uint64_t next_step_ns(uint64_t least_ns)
{
    const uint64_t day_ns = steps_s[ARRAY_SIZE(steps_s) - 1] * NS_PER_SECOND;

    for (size_t i = 0; i < ARRAY_SIZE(steps_s); i++)
        if (steps_s[i] * NS_PER_SECOND >= least_ns)
            return steps_s[i] * NS_PER_SECOND;
    return (least_ns + day_ns - 1) / day_ns * day_ns;
}

uint64_t history_store_step_ns(struct history_store *store, uint64_t start_ns, uint64_t end_ns,
                               size_t points)
{
    const size_t most = points == 0 || points > HISTORY_POINTS_MAX ? HISTORY_POINTS_MAX : points;
    const uint64_t range_ns = end_ns > start_ns ? end_ns - start_ns : 0;
    const uint64_t now_ns = clock_realtime_ns();
    const uint64_t age_ns = now_ns > start_ns ? now_ns - start_ns : 0;
    uint64_t least_ns = range_ns / most + (range_ns % most != 0);

    if (least_ns < store->interval_ns)
        least_ns = store->interval_ns;
    if (age_ns > store->limits.full_ns + THINNING_WINDOW_NS && least_ns < 10 * NS_PER_SECOND)
        least_ns = 10 * NS_PER_SECOND;
    if (age_ns > store->limits.ten_seconds_ns + 12 * THINNING_WINDOW_NS &&
        least_ns < 60 * NS_PER_SECOND)
        least_ns = 60 * NS_PER_SECOND;
    return next_step_ns(least_ns);
}
