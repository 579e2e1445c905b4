/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/schedule/show.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tool/latency/show.h"
#include "tool/table.h"

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void add_count(struct table *table, const json_t *object, const char *key)
{
    table_add_format(table, STYLE_PLAIN, "%.0f", number_of(object, key));
}

static void add_duration(struct table *table, double seconds)
{
    AUTO_TEXT struct text text = {0};

    latency_append_duration(&text, seconds);
    table_add_format(table, isfinite(seconds) ? STYLE_PLAIN : STYLE_FAINT, "%.*s", (int)text.length,
                     text.data ? text.data : "");
}

static void add_share(struct table *table, double part, double whole)
{
    if (whole > 0 && isfinite(part))
        table_add_format(table, STYLE_PLAIN, "%.1f %%", 100 * part / whole);
    else
        table_add(table, "-", STYLE_FAINT);
}

/* The name of a thread with its number, as perf sched has it: "nginx:1234"; "-": there is none. */
static void append_name(struct text *text, const json_t *thread)
{
    const char *name = json_string_value(json_object_get(thread, "name"));
    const double tid = number_of(thread, "tid");

    if (!name)
        text_append_char(text, '-');
    else if (tid == 0)
        text_append_string(text, name);
    else
        text_append_format(text, "%s:%.0f", name, tid);
}

static void add_name(struct table *table, const json_t *thread)
{
    AUTO_TEXT struct text text = {0};

    append_name(&text, thread);
    text_append_char(&text, '\0');
    table_add(table, text_error(&text) < 0 ? "" : text.data, STYLE_PLAIN);
}

/* The process of a thread; its number alone where it is not known how it is called. */
static void add_process(struct table *table, const json_t *thread)
{
    const char *name = json_string_value(json_object_get(thread, "process"));

    table_add_format(table, STYLE_PLAIN, "%s%s%.0f", name ? name : "", name && *name ? ":" : "",
                     number_of(thread, "pid"));
}

/* Tells that lines are left out. */
static void add_rest(struct table *table, double n, size_t lines)
{
    char line[64];

    if (!(n > (double)lines))
        return;
    (void)snprintf(line, sizeof(line), "and %.0f more", n - (double)lines);
    table_add_line(table, line, STYLE_FAINT);
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

        add_name(table, thread);
        add_process(table, thread);
        add_duration(table, number_of(thread, "ran_seconds"));
        add_count(table, thread, "slices");
        add_count(table, thread, "voluntary");
        add_count(table, thread, "involuntary");
        add_count(table, thread, "waits");
        add_duration(table, number_of(thread, "waited_seconds") / number_of(thread, "waits"));
        add_duration(table, number_of(longest, "seconds"));
        add_duration(table, number_of(longest, "start"));
        add_name(table, json_object_get(longest, "waker"));
        add_count(table, thread, "migrations");
    }
    add_rest(table, number_of(report, "n_threads"), lines);
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
        append_name(&text, json_object_get(share, "thread"));
        text_append_format(&text, " %.1f %%", 100 * number_of(share, "seconds") / seconds);
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

        add_count(table, cpu, "cpu");
        add_share(table, number_of(cpu, "ran_seconds"), seconds);
        add_share(table, number_of(cpu, "idle_seconds"), seconds);
        add_count(table, cpu, "switches");
        add_count(table, cpu, "wake_ups");
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

        add_count(table, pair, "count");
        add_name(table, json_object_get(pair, "thread"));
        add_name(table, json_object_get(pair, "by"));
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

        add_duration(table, number_of(wait, "seconds"));
        table_add_format(table, STYLE_PLAIN, "%.6f s", number_of(wait, "start"));
        add_name(table, json_object_get(wait, "thread"));
        if (json_is_object(json_object_get(wait, "waker")))
            add_name(table, json_object_get(wait, "waker"));
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
    const double lost = number_of(report, "lost"), gaps = number_of(report, "gaps");

    (void)terminal_append_shown(&text, target ? target : "", 0);
    text_append_format(&text, ", %.3g s: %.0f switches (%.0f preemptions), %.0f wake-ups, ",
                       number_of(report, "seconds"), number_of(report, "switches"),
                       number_of(report, "preemptions"), number_of(report, "wake_ups"));
    text_append_format(&text, "%.0f threads started, %.0f migrations\n",
                       number_of(report, "starts"), number_of(report, "migrations"));
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
        r = show_cpus(report, number_of(report, "seconds"));
    (void)printf("\n");
    if (r == 0)
        r = show_preempted(report, lines);
    (void)printf("\n");
    return r == 0 ? show_waits(report, lines) : r;
}
