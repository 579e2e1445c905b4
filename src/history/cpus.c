/* SPDX-License-Identifier: Apache-2.0 */

/* Times on CPUs are asked for as all numbers are: recorder_cpus.h says how they are kept. */
#include <errno.h>
#include <math.h>

#include "base/parse.h"
#include "history/recorder_cpus.h"
#include "history/store.h"

/* A series and the CPU that it is of. */
struct place {
    unsigned cpu;
    const struct history_series *series;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *one = a, *other = b;

    return one->cpu < other->cpu ? -1 : one->cpu > other->cpu;
}

static struct place *sort_series(const struct history_answer *answer)
{
    struct place *places = calloc(answer->n_series + 1, sizeof(*places));

    for (size_t i = 0; places && i < answer->n_series; i++) {
        uint64_t number = 0;

        if (answer->series[i].labels[0].value)
            (void)parse_u64(answer->series[i].labels[0].value, &number);
        places[i] = (struct place){(unsigned)number, &answer->series[i]};
    }
    if (places)
        qsort(places, answer->n_series, sizeof(*places), compare_places);
    return places;
}

/* The kernel's accounting in ticks, and readings that are not all of one instant, may exceed 1. */
static float share_of(double value)
{
    return isnan(value) ? NAN : (float)fmin(value, 1);
}

static int make_cpus(struct history_answer *answer, struct history_cpus **ret_cpus)
{
    AUTO(history_cpus) struct history_cpus *cpus = calloc(1, sizeof(*cpus));
    AUTO_FREE struct place *places = sort_series(answer);
    const size_t n = answer->n_times;

    if (!cpus || !places)
        return -ENOMEM;
    cpus->step_ns = answer->step_ns;
    cpus->cpus = calloc(answer->n_series + 1, sizeof(*cpus->cpus));
    cpus->shares = calloc(answer->n_series * n + 1, sizeof(*cpus->shares));
    if (!cpus->cpus || !cpus->shares)
        return -ENOMEM;
    cpus->n_cpus = answer->n_series;
    cpus->n_times = n;
    cpus->times_ns = TAKE(answer->times_ns);
    for (size_t i = 0; i < cpus->n_cpus; i++) {
        cpus->cpus[i] = places[i].cpu;
        for (size_t j = 0; j < n; j++)
            cpus->shares[i * n + j] = share_of(places[i].series->values[j]);
    }
    *ret_cpus = TAKE(cpus);
    return 0;
}

int history_store_cpus(struct history_store *store, const char *target, uint64_t start_ns,
                       uint64_t end_ns, uint64_t step_ns, struct history_cpus **ret_cpus)
{
    AUTO_TEXT struct text key = {0};
    AUTO(history_answer) struct history_answer *answer = NULL;
    struct history_query query = {.start_ns = start_ns, .end_ns = end_ns, .step_ns = step_ns};
    int r;

    text_append_format(&key, CPUS_KIND ":%s", target);
    if (text_error(&key) < 0)
        return -ENOMEM;
    query.target = key.data;
    r = history_store_query(store, &query, &answer);
    if (r == -ENOENT && history_store_knows(store, target))
        return make_cpus(&(struct history_answer){.step_ns = step_ns}, ret_cpus);
    return r < 0 ? r : make_cpus(answer, ret_cpus);
}
