/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/runs/show.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tool/command.h"
#include "tool/table.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static void add_number(struct table *table, const json_t *number)
{
    if (json_is_number(number))
        table_add_format(table, STYLE_PLAIN, "%.6g", json_number_value(number));
    else
        table_add(table, "-", STYLE_FAINT);
}

static double seconds_of(const json_t *run)
{
    const json_t *end = json_object_get(run, "end");

    return json_is_number(end)
               ? json_number_value(end) - json_number_value(json_object_get(run, "start"))
               : json_number_value(json_object_get(run, "duration_seconds"));
}

static void add_run(struct table *table, const json_t *run)
{
    table_add_format(table, STYLE_PLAIN, "%.0f", json_number_value(json_object_get(run, "id")));
    table_add_time(table, json_number_value(json_object_get(run, "start")));
    table_add_format(table, STYLE_PLAIN, "%.3g s", seconds_of(run));
    table_add(table, text_of(run, "state"), STYLE_PLAIN);
    table_add(table, text_of(run, "kind"), STYLE_PLAIN);
    table_add(table, text_of(run, "target"), STYLE_PLAIN);
    table_add(table, text_of(run, "title"), STYLE_PLAIN);
}

static const struct table_column run_columns[] = {
    {.title = "ID", .is_right = true},
    {.title = "BEGAN"},
    {.title = "LASTED", .is_right = true},
    {.title = "STATE"},
    {.title = "KIND"},
    {.title = "TARGET"},
    {.title = "TITLE", .may_be_cut = true},
};

int runs_show_list(const json_t *answer)
{
    AUTO(table) struct table *table = table_new(run_columns, ARRAY_SIZE(run_columns));
    const json_t *runs = json_object_get(answer, "runs");

    if (!table)
        return -ENOMEM;
    for (size_t i = 0; i < json_array_size(runs); i++)
        add_run(table, json_array_get(runs, i));
    return table_print(table);
}

static int show_head(const json_t *run)
{
    AUTO(table) struct table *table = table_new(run_columns, ARRAY_SIZE(run_columns));

    if (!table)
        return -ENOMEM;
    add_run(table, run);
    return table_print(table);
}

int runs_show_begun(const json_t *answer)
{
    return show_head(answer);
}

void runs_tell_ended(const json_t *answer)
{
    const json_t *end = json_object_get(answer, "end");
    char when[TABLE_TIME_SIZE] = "";

    if (json_is_number(end))
        table_print_time(json_number_value(end), when);
    (void)fprintf(stderr, PROGRAM ": run %.0f has ended already%s%s\n",
                  json_number_value(json_object_get(answer, "id")), *when ? ", at " : "", when);
}

int runs_show_nothing(const json_t *answer)
{
    (void)answer;
    return 0;
}

/* The name of a column, and what its figures are. */
static void add_column(struct table *table, const json_t *column)
{
    const bool is_total = strcmp(text_of(column, "kind"), "total") == 0;
    const char *unit = text_of(column, "unit");

    table_add(table, text_of(column, "name"), STYLE_PLAIN);
    table_add_format(table, STYLE_PLAIN, "%s%s", unit, is_total ? "/s" : "");
}

/* Tells which events are missing, and why. */
static void add_reasons(struct table *table, const json_t *run)
{
    const json_t *events = json_object_get(run, "events");

    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        AUTO_TEXT struct text line = {0};
        AUTO_FREE char *shown = NULL;

        if (!json_is_string(json_object_get(event, "reason")))
            continue;
        text_append_format(&line, "%s: %s, %s", text_of(event, "name"), text_of(event, "reason"),
                           text_of(event, "why"));
        shown = text_take(&line);
        if (shown)
            table_add_line(table, shown, STYLE_FAINT);
    }
}

int runs_show_run(const json_t *answer)
{
    static const struct table_column columns[] = {
        {.title = "COLUMN", .may_be_cut = true}, {.title = "UNIT"},
        {.title = "TOTAL", .is_right = true},    {.title = "MEAN", .is_right = true},
        {.title = "SPREAD", .is_right = true},   {.title = "MIN", .is_right = true},
        {.title = "MAX", .is_right = true},
    };
    static const char *const figures[] = {"total", "mean", "spread", "min", "max"};
    AUTO(table) struct table *table = table_new(columns, ARRAY_SIZE(columns));
    const json_t *names = json_object_get(answer, "columns");
    const json_t *summaries = json_object_get(answer, "summary");
    int r = show_head(answer);

    if (!table || r < 0)
        return -ENOMEM;
    (void)printf("\n");
    for (size_t i = 0; i < json_array_size(names); i++) {
        add_column(table, json_array_get(names, i));
        for (size_t k = 0; k < ARRAY_SIZE(figures); k++)
            add_number(table, json_object_get(json_array_get(summaries, i), figures[k]));
    }
    add_reasons(table, answer);
    return table_print(table);
}

static bool has_mean(const json_t *line, const char *run)
{
    return json_is_number(json_object_get(json_object_get(line, run), "mean"));
}

/* Two that have recorded have more to compare than numbers. */
static void add_way_to_functions(struct table *table, const json_t *answer)
{
    const json_t *a = json_object_get(answer, "a"), *b = json_object_get(answer, "b");
    char line[128];

    if (strcmp(text_of(a, "kind"), "record") != 0 || strcmp(text_of(b, "kind"), "record") != 0)
        return;
    (void)snprintf(line, sizeof(line),
                   PROGRAM " profile run:%.0f --diff=run:%.0f shows which functions differ",
                   json_number_value(json_object_get(b, "id")),
                   json_number_value(json_object_get(a, "id")));
    table_add_line(table, line, STYLE_FAINT);
}

int runs_show_comparison(const json_t *answer)
{
    static const struct table_column columns[] = {
        {.title = "COLUMN", .may_be_cut = true}, {.title = "UNIT"},
        {.title = "MEAN A", .is_right = true},   {.title = "SPREAD A", .is_right = true},
        {.title = "MEAN B", .is_right = true},   {.title = "SPREAD B", .is_right = true},
        {.title = "CHANGE", .is_right = true},
    };
    AUTO(table) struct table *table = table_new(columns, ARRAY_SIZE(columns));
    const json_t *lines = json_object_get(answer, "columns");
    bool has_all = true;

    if (!table)
        return -ENOMEM;
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i);
        const json_t *change = json_object_get(line, "change");

        add_column(table, line);
        for (size_t k = 0; k < 2; k++) {
            const json_t *summary = json_object_get(line, k == 0 ? "a" : "b");

            add_number(table, json_object_get(summary, "mean"));
            add_number(table, json_object_get(summary, "spread"));
        }
        if (json_is_number(change))
            table_add_format(table, STYLE_PLAIN, "%+.1f %%", 100 * json_number_value(change));
        else
            table_add(table, "-", STYLE_FAINT);
        has_all &= has_mean(line, "a") && has_mean(line, "b");
    }
    if (!has_all)
        table_add_line(table, "-: the run has no number of it, or none yet", STYLE_FAINT);
    add_way_to_functions(table, answer);
    return table_print(table);
}
