/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tool/json.h"
#include "tool/latency/show.h"

static json_t *buckets_json(const struct distribution *distribution)
{
    json_t *buckets = json_array();

    for (size_t i = 0; i < distribution->n; i++)
        (void)json_array_append_new(buckets, json_pack("{s:f, s:o, s:f}", "over_seconds",
                                                       i > 0 ? distribution->limits[i - 1] : 0,
                                                       "up_to_seconds",
                                                       json_of_double(distribution->limits[i]),
                                                       "count", distribution->counts[i]));
    return buckets;
}

static void add_labels(json_t *value, const struct distribution *distribution)
{
    for (size_t i = 0; i < DISTRIBUTION_LABELS && distribution->labels[i].name; i++)
        (void)json_object_set_new(value, distribution->labels[i].name,
                                  json_of_text(distribution->labels[i].value));
}

/* "softirq_seconds" is what of interrupts it is; the names of /metrics have it too. */
static json_t *distribution_json(const struct distribution *distribution, int one_in)
{
    const double count = distribution_count(distribution);
    json_t *value =
        json_pack("{s:s, s:s, s:n, s:f, s:f, s:o}", "kind", distribution->family->kind, "name",
                  distribution->family->name, "state", "count", count, "sum_seconds",
                  distribution->sum, "mean_seconds", json_of_double(distribution->sum / count));

    add_labels(value, distribution);
    if (one_in > 0 && latency_family_is_timed(distribution->family))
        (void)json_object_set_new(value, "one_in", json_integer(one_in));
    for (size_t i = 0; i < LATENCY_SHARES; i++) {
        char key[16];

        (void)snprintf(key, sizeof(key), "%s_seconds", latency_shares[i].name);
        (void)json_object_set_new(
            value, key,
            json_of_double(distribution_quantile(distribution, latency_shares[i].share)));
    }
    (void)json_object_set_new(value, "buckets", buckets_json(distribution));
    return value;
}

static json_t *count_json(const struct distribution *distribution)
{
    json_t *value =
        json_pack("{s:s, s:s, s:f}", "kind", distribution->family->kind, "name",
                  distribution->family->name, "count", distribution_count(distribution));

    add_labels(value, distribution);
    return value;
}

json_t *latency_json(const char *target, const struct distributions *counted, double seconds)
{
    json_t *all = json_array(), *counts = json_array();

    for (size_t i = 0; i < counted->n; i++) {
        const struct distribution *one = &counted->all[i];

        if (!distribution_is_shown(one))
            continue;
        if (one->family->count_of)
            (void)json_array_append_new(counts, count_json(one));
        else
            (void)json_array_append_new(all, distribution_json(one, counted->one_in));
    }
    return json_pack("{s:o, s:f, s:o, s:o}", "target", json_of_text(target), "seconds", seconds,
                     "distributions", all, "counts", counts);
}
