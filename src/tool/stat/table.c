/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The table in the form of `perf stat`, which people know by heart: the value to the right, its
 * unit, the event, behind # what is derived, and in parentheses the error of several runs and the
 * share of the time in which the event had the PMU. Numbers have the separators of the locale.
 */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "resolve/absence_advice.h"
#include "tool/stat/derive.h"
#include "tool/terminal.h"

#define VALUE_WIDTH   18
#define UNIT_WIDTH    4
#define NAME_WIDTH    25
#define DERIVED_WIDTH 35 /* with its unit */

static void append_spaces(struct text *text, size_t n)
{
    static const char spaces[] = "                ";

    for (; n >= strlen(spaces); n -= strlen(spaces))
        text_append(text, spaces, strlen(spaces));
    text_append(text, spaces, n);
}

static void append_padded(struct text *text, const char *word, size_t width)
{
    const size_t columns = terminal_append_shown(text, word, 0);

    append_spaces(text, columns < width ? width - columns : 0);
}

/* What stands before the value: with -I the time, with -A the CPU. Returns its width. */
static size_t append_place(const struct report *report, size_t part, struct text *text)
{
    const size_t before = text->length;

    if (report->options->interval_ns)
        text_append_format(text, "%6" PRIu64 ".%09" PRIu64 " ", report->since_ns / NS_PER_SECOND,
                           report->since_ns % NS_PER_SECOND);
    if (report->cpus[part] >= 0) {
        char name[16];

        (void)snprintf(name, sizeof(name), "CPU%d", report->cpus[part]);
        append_padded(text, name, 8);
    }
    return text->length - before;
}

static void append_value(const struct report *report, const struct figure *figure,
                         const struct group_member *member, struct text *text)
{
    const struct shown_value shown = shown_value_of(member->event);
    char number[64];
    const char *value = number;

    if (member->absence != ABSENCE_NONE)
        value = "<not supported>";
    else if (!figure_is_counted(figure))
        value = "<not counted>";
    else if (shown.decimals == 0 && report->options->runs == 1)
        (void)snprintf(number, sizeof(number), "%'" PRIu64, figure->exact);
    else
        (void)snprintf(number, sizeof(number), "%'.*f", shown.decimals,
                       figure->count.mean * shown.factor);
    append_spaces(text, strlen(value) < VALUE_WIDTH ? VALUE_WIDTH - strlen(value) : 0);
    text_append_string(text, value);
    text_append_char(text, ' ');
    append_padded(text, shown.unit, UNIT_WIDTH);
    text_append_char(text, ' ');
    append_padded(text, member->event->name, NAME_WIDTH);
}

static void append_derived(const struct derived *derived, struct text *text)
{
    const size_t before = text->length;

    if (derived->is_percent)
        text_append_format(text, "  # %7.*f%% %s", derived->decimals, derived->value,
                           derived->unit);
    else
        text_append_format(text, "  # %8.*f %s", derived->decimals, derived->value, derived->unit);
    if (text->length - before < DERIVED_WIDTH)
        append_spaces(text, DERIVED_WIDTH - (text->length - before));
}

/* The error of several runs, and the coverage where it is not whole. */
static void append_notes(const struct report *report, const struct figure *figure,
                         struct text *text)
{
    const double coverage = figure_coverage(figure);

    if (report->options->runs > 1 && figure->count.mean != 0)
        text_append_format(text, "  ( +-%6.2f%% )", mean_percent(&figure->count));
    if (coverage < 1)
        text_append_format(text, "  (%.2f%%)", 100 * coverage);
}

static void append_absence(enum absence absence, struct text *text)
{
    text_append_string(text, "  # ");
    text_append_string(text, absence_name(absence));
}

static void trim_right(struct text *text)
{
    while (text->length > 0 && text->data[text->length - 1] == ' ')
        text->length--;
}

static void append_row(const struct report *report, size_t part, size_t event, bool has_colour,
                       struct text *text)
{
    const struct figure *figure = report_figure(report, part, event);
    size_t group;
    const struct group_member *member = report_member(report, event, &group);
    const bool is_faint =
        has_colour && (member->absence != ABSENCE_NONE || !figure_is_counted(figure));
    struct derived derived[MOST_DERIVED];
    bool has_first;
    const size_t n = derive(report, part, event, derived, &has_first);
    size_t width;

    text_append_string(text, terminal_begin_style(is_faint ? STYLE_FAINT : STYLE_PLAIN));
    width = append_place(report, part, text);
    append_value(report, figure, member, text);
    if (member->absence != ABSENCE_NONE)
        append_absence(member->absence, text);
    else if (n > 0)
        append_derived(&derived[0], text);
    else
        append_spaces(text, DERIVED_WIDTH);
    if (member->absence == ABSENCE_NONE)
        append_notes(report, figure, text);
    trim_right(text);
    text_append_string(text, terminal_end_style(is_faint ? STYLE_FAINT : STYLE_PLAIN));
    text_append_char(text, '\n');
    for (size_t i = 1; i < n; i++) {
        append_spaces(text, width + VALUE_WIDTH + 1 + UNIT_WIDTH + 1 + NAME_WIDTH);
        append_derived(&derived[i], text);
        trim_right(text);
        text_append_char(text, '\n');
    }
}

/* Appends a line of what is to be said of one event. */
static void append_remark(struct text *text, const struct event *event, const char *what,
                          const char *more)
{
    text_append_char(text, ' ');
    (void)terminal_append_shown(text, event->name, 0);
    text_append_format(text, ": %s", what);
    (void)terminal_append_shown(text, more, 0);
    text_append_char(text, '\n');
}

/* Says once for each reason what can be done about events that are not supported. */
static void append_reasons(const struct report *report, struct text *text)
{
    bool is_said[ABSENCE_COUNT_] = {false};

    for (size_t event = 0; event < report->groups->n_events; event++) {
        size_t group;
        const struct group_member *member = report_member(report, event, &group);
        const enum absence absence = member->absence;
        const bool is_wall_time = member->event->is_clock && report->groups->kind == SCOPE_SYSTEM;

        if (is_wall_time)
            append_remark(text, member->event, "for the machine it would be the time that passes",
                          "");
        if (absence == ABSENCE_NONE && member->event->counted_as)
            append_remark(text, member->event, "counted as ", member->event->counted_as);
        if (absence != ABSENCE_NONE && member->event->why) {
            append_remark(text, member->event, "", member->event->why);
            continue;
        }
        if (is_wall_time || absence == ABSENCE_NONE || is_said[absence])
            continue;
        is_said[absence] = true;
        text_append_format(text, " %s: %s\n", absence_name(absence), absence_advice(absence));
    }
    if (report->is_restricted)
        text_append_string(text, " Events with :u are counted in user mode only: the kernel's own "
                                 "part wants CAP_PERFMON,\n or kernel.perf_event_paranoid below "
                                 "2.\n");
}

static void append_times(const struct report *report, struct text *text)
{
    const double mean = report->elapsed.mean;

    if (report->options->runs > 1)
        text_append_format(text, "\n %17.6f +- %.6f seconds time elapsed  ( +-%6.2f%% )\n", mean,
                           mean_deviation(&report->elapsed), mean_percent(&report->elapsed));
    else
        text_append_format(text, "\n %17.9f seconds time elapsed\n", mean);
    if (!isnan(report->machine_cpus))
        text_append_format(text, " %17.3f CPUs used by the machine\n", report->machine_cpus);
    if (report->has_usage && report->options->runs == 1)
        text_append_format(text, "\n %17.9f seconds user\n %17.9f seconds sys\n",
                           (double)report->user_ns / (double)NS_PER_SECOND,
                           (double)report->system_ns / (double)NS_PER_SECOND);
    text_append_char(text, '\n');
}

static void append_tasks(const struct stat_options *options, const char *what, struct text *text)
{
    text_append_format(text, "%s '", what);
    for (size_t i = 0; i < options->n_tasks; i++)
        text_append_format(text, "%s%d", i ? "," : "", options->tasks[i]);
    text_append_char(text, '\'');
}

static void append_target(const struct stat_options *options, struct text *text)
{
    switch (options->target) {
    case TARGET_COMMAND:
        text_append_char(text, '\'');
        for (size_t i = 0; options->command[i]; i++) {
            text_append_string(text, i ? " " : "");
            (void)terminal_append_shown(text, options->command[i], 0);
        }
        text_append_char(text, '\'');
        break;
    case TARGET_MACHINE:
        text_append_string(text, options->cpus ? "'CPUs of -C'" : "'system wide'");
        break;
    case TARGET_CGROUP:
        text_append_string(text, "cgroup '");
        (void)terminal_append_shown(text, options->cgroup, 0);
        text_append_char(text, '\'');
        break;
    case TARGET_PROCESSES:
        append_tasks(options, "process id", text);
        break;
    case TARGET_THREADS:
        append_tasks(options, "thread id", text);
        break;
    }
}

void report_append_head(const struct stat_options *options, struct text *text)
{
    if (options->format != FORMAT_TABLE)
        return;
    if (options->interval_ns) {
        text_append_format(text, "#           time %s            counts unit events\n",
                           options->is_per_cpu ? "CPU     " : "");
        return;
    }
    text_append_string(text, "\n Performance counter stats for ");
    append_target(options, text);
    if (options->runs > 1)
        text_append_format(text, " (%" PRIu64 " runs)", options->runs);
    text_append_string(text, ":\n\n");
}

void report_append_table(const struct report *report, bool has_colour, struct text *text)
{
    static locale_t locale; /* made once, and kept to the end of the program */
    locale_t before;

    if (!locale)
        locale = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);
    before = locale ? uselocale(locale) : (locale_t)0;

    for (size_t event = 0; event < report->groups->n_events; event++)
        for (size_t part = 0; part < report->n_parts; part++)
            if (report_has_row(report, part, event))
                append_row(report, part, event, has_colour, text);
    if (!report->options->interval_ns) {
        append_times(report, text);
        append_reasons(report, text);
    }
    if (locale)
        (void)uselocale(before);
}
