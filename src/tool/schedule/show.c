/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/schedule/show.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tool/schedule/cells.h"
#include "tool/schedule/show_ended.h"

static void add_share(struct table *table, double part, double whole)
{
    if (whole > 0 && isfinite(part))
        table_add_format(table, STYLE_PLAIN, "%.1f %%", 100 * part / whole);
    else
        table_add(table, "-", STYLE_FAINT);
}

/* The process of a thread; its number alone where it is not known how it is called. */
static void add_process(struct table *table, const json_t *thread)
{
    const char *name = json_string_value(json_object_get(thread, "process"));

    table_add_format(table, STYLE_PLAIN, "%s%s%.0f", name ? name : "", name && *name ? ":" : "",
                     cell_number(thread, "pid"));
}

static int show_threads(const json_t *report, size_t lines)
{
    static const struct table_column columns[] = {
        {.title = "THREAD", .may_be_cut = true},
        {.title = "PROCESS"},
        {.title = "ON CPU", .is_right = true},
        {.title = "SLICES", .is_right = true},
        {.title = "YIELDED", .is_right = true},
        {.title = "PREEMPTED", .is_right = true},
        {.title = "WAITS", .is_right = true},
        {.title = "MEAN WAIT", .is_right = true},
        {.title = "LONGEST", .is_right = true},
        {.title = "AT", .is_right = true},
        {.title = "WOKEN BY"},
        {.title = "MOVES", .is_right = true},
    };
    AUTO(table) struct table *table = table_new(columns, ARRAY_SIZE(columns));
    const json_t *threads = json_object_get(report, "threads");

    if (!table)
        return -ENOMEM;
    for (size_t i = 0; i < json_array_size(threads) && i < lines; i++) {
        const json_t *thread = json_array_get(threads, i);
        const json_t *longest = json_object_get(thread, "longest_wait");

        cell_add_name(table, thread);
        add_process(table, thread);
        cell_add_duration(table, cell_number(thread, "ran_seconds"));
        cell_add_count(table, thread, "slices");
        cell_add_count(table, thread, "voluntary");
        cell_add_count(table, thread, "involuntary");
        cell_add_count(table, thread, "waits");
        cell_add_duration(table,
                          cell_number(thread, "waited_seconds") / cell_number(thread, "waits"));
        cell_add_duration(table, cell_number(longest, "seconds"));
        cell_add_duration(table, cell_number(longest, "start"));
        cell_add_name(table, json_object_get(longest, "waker"));
        cell_add_count(table, thread, "migrations");
    }
    cell_add_rest(table, cell_number(report, "n_threads"), lines);
    return table_print(table);
}

/* Who had most of a CPU, the idle one among them. */
static void add_shares(struct table *table, const json_t *cpu, double seconds)
{
    const json_t *threads = json_object_get(cpu, "threads");
    AUTO_TEXT struct text text = {0};

    for (size_t i = 0; i < json_array_size(threads) && i < 4; i++) {
        const json_t *share = json_array_get(threads, i);

        text_append_string(&text, i > 0 ? ", " : "");
        cell_append_name(&text, json_object_get(share, "thread"));
        text_append_format(&text, " %.1f %%", 100 * cell_number(share, "seconds") / seconds);
    }
    text_append_char(&text, '\0');
    table_add(table, text_error(&text) < 0 ? "" : text.data, STYLE_PLAIN);
}

static int show_cpus(const json_t *report, double seconds)
{
    static const struct table_column columns[] = {
        {.title = "CPU", .is_right = true},      {.title = "BUSY", .is_right = true},
        {.title = "IDLE", .is_right = true},     {.title = "SWITCHES", .is_right = true},
        {.title = "WAKE-UPS", .is_right = true}, {.title = "MOST BY", .may_be_cut = true},
    };
    AUTO(table) struct table *table = table_new(columns, ARRAY_SIZE(columns));
    const json_t *cpus = json_object_get(report, "cpus");

    if (!table)
        return -ENOMEM;
    for (size_t i = 0; i < json_array_size(cpus); i++) {
        const json_t *cpu = json_array_get(cpus, i);

        cell_add_count(table, cpu, "cpu");
        add_share(table, cell_number(cpu, "ran_seconds"), seconds);
        add_share(table, cell_number(cpu, "idle_seconds"), seconds);
        cell_add_count(table, cpu, "switches");
        cell_add_count(table, cpu, "wake_ups");
        add_shares(table, cpu, seconds);
    }
    return table_print(table);
}

static int show_preempted(const json_t *report, size_t lines)
{
    static const struct table_column columns[] = {
        {.title = "TIMES", .is_right = true}, {.title = "PREEMPTED"}, {.title = "BY"}};
    AUTO(table) struct table *table = table_new(columns, ARRAY_SIZE(columns));
    const json_t *pairs = json_object_get(report, "preempted");

    if (!table)
        return -ENOMEM;
    for (size_t i = 0; i < json_array_size(pairs) && i < lines; i++) {
        const json_t *pair = json_array_get(pairs, i);

        cell_add_count(table, pair, "count");
        cell_add_name(table, json_object_get(pair, "thread"));
        cell_add_name(table, json_object_get(pair, "by"));
    }
    if (json_array_size(pairs) == 0)
        table_add_line(table, "nobody", STYLE_FAINT);
    return table_print(table);
}

static int show_waits(const json_t *report, size_t lines)
{
    static const struct table_column columns[] = {{.title = "WAITED", .is_right = true},
                                                  {.title = "FROM", .is_right = true},
                                                  {.title = "THREAD"},
                                                  {.title = "WOKEN BY"}};
    AUTO(table) struct table *table = table_new(columns, ARRAY_SIZE(columns));
    const json_t *waits = json_object_get(report, "longest_waits");

    if (!table)
        return -ENOMEM;
    for (size_t i = 0; i < json_array_size(waits) && i < lines; i++) {
        const json_t *wait = json_array_get(waits, i);

        cell_add_duration(table, cell_number(wait, "seconds"));
        table_add_format(table, STYLE_PLAIN, "%.6f s", cell_number(wait, "start"));
        cell_add_name(table, json_object_get(wait, "thread"));
        if (json_is_object(json_object_get(wait, "waker")))
            cell_add_name(table, json_object_get(wait, "waker"));
        else
            table_add(table, "(preempted)", STYLE_FAINT);
    }
    if (json_array_size(waits) == 0)
        table_add_line(table, "no thread has waited", STYLE_FAINT);
    return table_print(table);
}

/* What was seen in all, and what was not. */
static void show_sums(const json_t *run, const json_t *report)
{
    const char *target = json_string_value(json_object_get(run, "target"));
    AUTO_TEXT struct text text = {0};
    const double lost = cell_number(report, "lost"), gaps = cell_number(report, "gaps");

    (void)terminal_append_shown(&text, target ? target : "", 0);
    text_append_format(&text, ", %.3g s: %.0f switches (%.0f preemptions), %.0f wake-ups, ",
                       cell_number(report, "seconds"), cell_number(report, "switches"),
                       cell_number(report, "preemptions"), cell_number(report, "wake_ups"));
    text_append_format(&text, "%.0f threads started, %.0f migrations\n",
                       cell_number(report, "starts"), cell_number(report, "migrations"));
    if (lost > 0)
        text_append_format(&text,
                           "%.0f records were lost for want of room in the ring "
                           "(limits.schedule_ring): numbers and times below lack them\n",
                           lost);
    if (gaps > 0)
        text_append_format(&text,
                           "%.0f times it was not known who had a CPU, since records were lost or "
                           "the kernel did not tell of a switch\n",
                           gaps);
    if (json_is_true(json_object_get(report, "full")))
        text_append_string(&text, "it ended early: a run has at most 300,000 records\n");
    (void)fwrite(text.data ? text.data : "", 1, text.length, stdout);
}

int schedule_show(const json_t *run, size_t lines)
{
    const json_t *report = json_object_get(run, "schedule");
    int r;

    if (!json_is_object(report))
        return -EINVAL;
    show_sums(run, report);
    (void)printf("\n");
    r = show_threads(report, lines);
    (void)printf("\n");
    if (r == 0)
        r = show_cpus(report, cell_number(report, "seconds"));
    (void)printf("\n");
    if (r == 0)
        r = show_preempted(report, lines);
    (void)printf("\n");
    if (r == 0)
        r = show_waits(report, lines);
    return r == 0 ? schedule_show_ended(report, lines) : r;
}
