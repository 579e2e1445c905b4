/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The columns of `perf stat -x`: value, unit, event, with -r the error, time running, coverage in
 * percent, metric, its unit. With -I the time stands before them, with -A the CPU. perf writes no
 * reason why an event is not supported, and so there is none here.
 */
#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "tool/stat/derive.h"

static void append_value(const struct report *report, const struct figure *figure,
                         const struct group_member *member, struct text *text)
{
    const struct shown_value shown = shown_value_of(member->event);

    if (member->absence != ABSENCE_NONE)
        text_append_string(text, "<not supported>");
    else if (!figure_is_counted(figure))
        text_append_string(text, "<not counted>");
    else if (shown.decimals == 0 && report->options->runs == 1)
        text_append_u64(text, figure->exact);
    else
        text_append_format(text, "%.*f", shown.decimals, figure->count.mean * shown.factor);
    /* perf says the unit of an event that is not counted, but not of one that is not supported. */
    text_append_string(text, report->options->separator);
    text_append_string(text, member->absence == ABSENCE_NONE ? shown.unit : "");
}

static void append_derived(const struct report *report, size_t part, size_t event,
                           struct text *text)
{
    const char *separator = report->options->separator;
    struct derived derived[MOST_DERIVED];
    bool has_first;

    (void)derive(report, part, event, derived, &has_first);
    if (has_first)
        text_append_format(text, "%s%.*f", separator, derived[0].decimals, derived[0].value);
    else
        text_append_string(text, separator);
    text_append_string(text, separator);
    text_append_string(text, has_first ? derived[0].unit : "");
}

/* How long the event was counted, in nanoseconds, and its share of the time in percent. */
static void append_coverage(const struct report *report, const struct figure *figure,
                            struct text *text)
{
    const double coverage = figure_coverage(figure);

    text_append_u64(text, figure_is_counted(figure) ? (uint64_t)llround(figure->running.mean)
                                                    : figure->running_ns);
    text_append_string(text, report->options->separator);
    if (coverage >= 1)
        text_append_string(text, "100.00");
    else
        text_append_format(text, "%.2f", 100 * coverage);
}

static void append_row(const struct report *report, size_t part, size_t event, struct text *text)
{
    const struct figure *figure = report_figure(report, part, event);
    const char *separator = report->options->separator;
    size_t group;
    const struct group_member *member = report_member(report, event, &group);

    if (report->options->interval_ns)
        text_append_format(text, "%6" PRIu64 ".%09" PRIu64 "%s", report->since_ns / NS_PER_SECOND,
                           report->since_ns % NS_PER_SECOND, separator);
    if (report->cpus[part] >= 0)
        text_append_format(text, "CPU%d%s", report->cpus[part], separator);
    append_value(report, figure, member, text);
    text_append_string(text, separator);
    text_append_string(text, member->event->name);
    text_append_string(text, separator);
    if (report->options->runs > 1)
        text_append_format(text, "%.2f%%%s", mean_percent(&figure->count), separator);
    append_coverage(report, figure, text);
    append_derived(report, part, event, text);
    text_append_char(text, '\n');
}

void report_append_csv(const struct report *report, struct text *text)
{
    for (size_t event = 0; event < report->groups->n_events; event++)
        for (size_t part = 0; part < report->n_parts; part++)
            if (report_has_row(report, part, event))
                append_row(report, part, event, text);
}
