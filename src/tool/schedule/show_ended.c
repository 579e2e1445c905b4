/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/schedule/show_ended.h"

#include <errno.h>
#include <stdio.h>

#include "config/config_error.h"
#include "tool/latency/show.h"
#include "tool/schedule/cells.h"

/* The columns that a request and an exit have both. */
static void add_durations(struct table *table, const json_t *line)
{
    const json_t *longest = json_object_get(line, "longest");

    cell_add_duration(table, cell_number(line, "mean_seconds"));
    cell_add_duration(table, cell_number(line, "p50_seconds"));
    cell_add_duration(table, cell_number(line, "p99_seconds"));
    cell_add_duration(table, cell_number(longest, "seconds"));
    cell_add_duration(table, cell_number(longest, "start"));
    cell_add_name(table, json_object_get(longest, "thread"));
}

static void add_text(struct table *table, const json_t *line, const char *key)
{
    const char *text = json_string_value(json_object_get(line, key));

    table_add(table, text ? text : "-", STYLE_PLAIN);
}

static void add_request(struct table *table, const json_t *line)
{
    add_text(table, line, "device");
    add_text(table, line, "operation");
    cell_add_count(table, line, "count");
    cell_add_count(table, line, "bytes");
    cell_add_count(table, line, "errors");
    cell_add_duration(table, cell_number(line, "queued_mean_seconds"));
    add_durations(table, line);
}

static void add_exit(struct table *table, const json_t *line)
{
    cell_add_name(table, json_object_get(line, "guest"));
    if (json_is_number(json_object_get(line, "vcpu")))
        cell_add_count(table, line, "vcpu");
    else
        table_add(table, "-", STYLE_FAINT);
    add_text(table, line, "reason");
    cell_add_count(table, line, "count");
    cell_add_duration(table, cell_number(line, "seconds"));
    add_durations(table, line);
}

/* Shows at most so many of the lines, of which there have been n. */
static int show_lines(struct table *table, const json_t *lines, double n, size_t max,
                      void (*add)(struct table *table, const json_t *line))
{
    if (!table)
        return -ENOMEM;
    for (size_t i = 0; i < json_array_size(lines) && i < max; i++)
        add(table, json_array_get(lines, i));
    cell_add_rest(table, n, max);
    return table_print(table);
}

static int show_requests(const json_t *requests, size_t max)
{
    static const struct table_column columns[] = {
        {.title = "DEVICE"},
        {.title = "OPERATION"},
        {.title = "REQUESTS", .is_right = true},
        {.title = "BYTES", .is_right = true},
        {.title = "ERRORS", .is_right = true},
        {.title = "QUEUED", .is_right = true},
        {.title = "MEAN", .is_right = true},
        {.title = "P50", .is_right = true},
        {.title = "P99", .is_right = true},
        {.title = "LONGEST", .is_right = true},
        {.title = "AT", .is_right = true},
        {.title = "OF"},
    };
    AUTO(table) struct table *table = table_new(columns, ARRAY_SIZE(columns));
    const json_t *lines = json_object_get(requests, "by_device");

    if (table && json_array_size(lines) == 0)
        table_add_line(table, "no request was completed", STYLE_FAINT);
    return show_lines(table, lines, (double)json_array_size(lines), max, add_request);
}

static int show_exits(const json_t *exits, size_t max)
{
    static const struct table_column columns[] = {
        {.title = "GUEST"},
        {.title = "VCPU", .is_right = true},
        {.title = "EXIT"},
        {.title = "EXITS", .is_right = true},
        {.title = "TIME", .is_right = true},
        {.title = "MEAN", .is_right = true},
        {.title = "P50", .is_right = true},
        {.title = "P99", .is_right = true},
        {.title = "LONGEST", .is_right = true},
        {.title = "AT", .is_right = true},
        {.title = "OF"},
    };
    AUTO(table) struct table *table = table_new(columns, ARRAY_SIZE(columns));

    return show_lines(table, json_object_get(exits, "by_vcpu"), cell_number(exits, "n_lines"), max,
                      add_exit);
}

/* Tells why they were not recorded. Whether that is so. */
static bool is_refused(const json_t *told, const char *what)
{
    const char *refusal = json_string_value(json_object_get(told, "refusal"));

    if (refusal)
        (void)printf("\n%s were not recorded: %s\n", what, SHOWN(refusal));
    return refusal;
}

int schedule_show_ended(const json_t *report, size_t lines)
{
    const json_t *requests = json_object_get(report, "requests");
    const json_t *exits = json_object_get(report, "exits");
    int r = 0;

    if (json_is_object(requests) && !is_refused(requests, "Requests to block devices")) {
        (void)printf("\n");
        r = show_requests(requests, lines);
    }
    if (r < 0 || !json_is_object(exits) || is_refused(exits, "Exits of guests"))
        return r;
    if (cell_number(exits, "count") == 0)
        return 0; /* most machines have no guests */
    (void)printf("\n");
    return show_exits(exits, lines);
}
