/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/latency/show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "tool/latency/counts.h"
#include "tool/terminal.h"

#define BAR 40 /* columns of the bucket that counts most */

/* Lines are those of 80 columns: "   488 us .. 977 us             123 |@@@@    |". */
#define LIMIT_WIDTH 8
#define COUNT_WIDTH 12

const struct latency_share latency_shares[LATENCY_SHARES] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}};

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
    for (size_t i = 0; i < LATENCY_SHARES; i++) {
        text_append_format(text, ", %s ", latency_shares[i].name);
        latency_append_duration(text, distribution_quantile(distribution, latency_shares[i].share));
    }
    text_append_string(text, " (within a bucket)\n");
}

/* "softirqs (NET_RX)" */
static void append_title(struct text *text, const struct distribution *distribution)
{
    const struct latency_family *family = distribution->family;

    text_append_string(text, family->title);
    for (size_t i = 0; !family->value && i < DISTRIBUTION_LABELS && distribution->labels[i].name;
         i++) {
        text_append_string(text, i > 0 ? ", " : " (");
        (void)terminal_append_shown(text, distribution->labels[i].value, 0);
    }
    if (!family->value && distribution->labels[0].name)
        text_append_char(text, ')');
}

static void append_head(struct text *text, const char *target, const char **between)
{
    text_append_string(text, *between);
    (void)terminal_append_shown(text, target, 0);
    text_append_string(text, ": ");
    *between = "\n";
}

/* one_in: of so many calls one is timed. */
static void append_distribution(struct text *text, const struct distribution *distribution,
                                double seconds, int one_in)
{
    append_title(text, distribution);
    text_append_format(text, ", in %.3g s", seconds);
    if (one_in > 1 && latency_family_is_timed(distribution->family))
        text_append_format(text, ", one in %d", one_in);
    text_append_char(text, '\n');
    if (distribution_count(distribution) > 0) {
        append_buckets(text, distribution);
        append_figures(text, distribution);
    } else {
        text_append_string(text, "none has ended\n");
    }
}

void latency_append_text(struct text *text, const char *target, const struct distributions *counted,
                         double seconds)
{
    const char *between = "";

    for (size_t i = 0; i < counted->n; i++) {
        const struct distribution *one = &counted->all[i];

        if (one->family->count_of || !distribution_is_shown(one))
            continue;
        append_head(text, target, &between);
        append_distribution(text, one, seconds, counted->one_in);
    }
    for (size_t i = 0; i < LATENCY_FAMILIES; i++)
        if (latency_counts_begin(&latency_families[i], counted)) {
            append_head(text, target, &between);
            latency_append_counts(text, &latency_families[i], counted, seconds);
        }
    if (!*between) {
        append_head(text, target, &between);
        text_append_format(text, "nothing was counted in %.3g s\n", seconds);
    }
}
