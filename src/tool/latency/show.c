/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/latency/show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "tool/json.h"
#include "tool/terminal.h"

#define BAR 40 /* columns of the bucket that counts most */

/* Lines are those of 80 columns: "   488 us .. 977 us             123 |@@@@    |". */
#define LIMIT_WIDTH 8
#define COUNT_WIDTH 12

static const double shares[] = {0.5, 0.9, 0.99};
static const char *const share_names[] = {"p50", "p90", "p99"};

bool latency_shows(const struct distributions *counted, size_t index, const char *kind)
{
    return counted->all[index].is_there &&
           (!kind || strcmp(kind, distribution_names[index].kind) == 0);
}

void latency_append_duration(struct text *text, double seconds)
{
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {{0.9995, 1, "s"}, {0.9995e-3, 1e3, "ms"}, {0, 1e6, "us"}};
    size_t i = 0;

    if (!isfinite(seconds)) {
        text_append_char(text, '-');
        return;
    }
    while (seconds < units[i].least)
        i++;
    text_append_format(text, seconds * units[i].factor < 999.5 ? "%.3g %s" : "%.0f %s",
                       seconds * units[i].factor, units[i].unit);
}

static void append_right(struct text *text, double seconds)
{
    AUTO_TEXT struct text duration = {0};

    latency_append_duration(&duration, seconds);
    text_append_format(text, "%*.*s", LIMIT_WIDTH, (int)duration.length,
                       duration.data ? duration.data : "");
}

static double most_of(const struct distribution *distribution)
{
    double most = 0;

    for (size_t i = 0; i < distribution->n; i++)
        most = fmax(most, distribution->counts[i]);
    return most;
}

static void append_bucket(struct text *text, const struct distribution *distribution, size_t i,
                          double most)
{
    const double low = i > 0 ? distribution->limits[i - 1] : 0;
    const double count = distribution->counts[i];
    /* What counts anything is seen. */
    const int length = count > 0 ? (int)fmax(1, round(BAR * count / most)) : 0;

    if (isfinite(distribution->limits[i])) {
        append_right(text, low);
        text_append_string(text, " .. ");
        append_right(text, distribution->limits[i]);
    } else {
        text_append_format(text, "%*s", LIMIT_WIDTH, "over");
        text_append_string(text, "    ");
        append_right(text, low);
    }
    text_append_format(text, "%*.0f |", COUNT_WIDTH, count);
    for (int at = 0; at < BAR; at++)
        text_append_char(text, at < length ? '@' : ' ');
    text_append_string(text, "|\n");
}

/* The buckets from the first to the last that counted anything. */
static void append_buckets(struct text *text, const struct distribution *distribution)
{
    size_t first = 0, end = distribution->n;

    while (first < end && !(distribution->counts[first] > 0))
        first++;
    while (end > first && !(distribution->counts[end - 1] > 0))
        end--;
    for (size_t i = first; i < end; i++)
        append_bucket(text, distribution, i, most_of(distribution));
}

static void append_figures(struct text *text, const struct distribution *distribution)
{
    const double count = distribution_count(distribution);

    text_append_format(text, "count %.0f, sum ", count);
    latency_append_duration(text, distribution->sum);
    text_append_string(text, ", mean ");
    latency_append_duration(text, distribution->sum / count);
    for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
        text_append_format(text, ", %s ", share_names[i]);
        latency_append_duration(text, distribution_quantile(distribution, shares[i]));
    }
    text_append_string(text, " (within a bucket)\n");
}

void latency_append_text(struct text *text, const char *target, const struct distributions *counted,
                         const char *kind, double seconds)
{
    const char *between = "";

    for (size_t i = 0; i < DISTRIBUTION_COUNT_; i++) {
        if (!latency_shows(counted, i, kind))
            continue;
        text_append_string(text, between);
        (void)terminal_append_shown(text, target, 0);
        text_append_format(text, ": %s, in %.3g s\n", distribution_names[i].title, seconds);
        if (distribution_count(&counted->all[i]) > 0) {
            append_buckets(text, &counted->all[i]);
            append_figures(text, &counted->all[i]);
        } else {
            text_append_string(text, "none has ended\n");
        }
        between = "\n";
    }
}

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

static json_t *distribution_json(const struct distribution *distribution,
                                 const struct distribution_name *name)
{
    const double count = distribution_count(distribution);
    const bool has_state = name->label && strcmp(name->label, "state") == 0;
    json_t *value =
        json_pack("{s:s, s:s?, s:f, s:f, s:o}", "kind", name->kind, "state",
                  has_state ? name->value : NULL, "count", count, "sum_seconds", distribution->sum,
                  "mean_seconds", json_of_double(distribution->sum / count));

    if (name->label && !has_state)
        (void)json_object_set_new(value, name->label, json_string(name->value));
    for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
        char key[16];

        (void)snprintf(key, sizeof(key), "%s_seconds", share_names[i]);
        (void)json_object_set_new(value, key,
                                  json_of_double(distribution_quantile(distribution, shares[i])));
    }
    (void)json_object_set_new(value, "buckets", buckets_json(distribution));
    return value;
}

json_t *latency_json(const char *target, const struct distributions *counted, const char *kind,
                     double seconds)
{
    json_t *all = json_array();

    for (size_t i = 0; i < DISTRIBUTION_COUNT_; i++)
        if (latency_shows(counted, i, kind))
            (void)json_array_append_new(
                all, distribution_json(&counted->all[i], &distribution_names[i]));
    return json_pack("{s:o, s:f, s:o}", "target", json_of_text(target), "seconds", seconds,
                     "distributions", all);
}
