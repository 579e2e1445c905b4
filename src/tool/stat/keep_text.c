/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/stat/keep_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "tool/json.h"
#include "tool/safe_text.h"

/* Bytes of the words of a command. A byte that is shown otherwise takes four. */
#define COMMAND_BYTES 1000

#define TARGET_BYTES 4000

char *stat_keep_target(const struct stat_options *options)
{
    AUTO_TEXT struct text text = {0};

    switch (options->target) {
    case TARGET_COMMAND:
        text_append_string(&text, "command");
        break;
    case TARGET_MACHINE:
        text_append_string(&text, "machine");
        break;
    case TARGET_CGROUP:
        text_append_string(&text, *options->cgroup == '/' ? "cgroup:" : "cgroup:/");
        safe_text_append(&text, options->cgroup, strnlen(options->cgroup, COMMAND_BYTES));
        break;
    case TARGET_PROCESSES:
    case TARGET_THREADS:
        text_append_string(&text, options->target == TARGET_PROCESSES ? "pid:" : "tid:");
        for (size_t i = 0; i < options->n_tasks && text.length < TARGET_BYTES; i++)
            text_append_format(&text, "%s%d", i > 0 ? "," : "", options->tasks[i]);
        break;
    }
    return text_take(&text);
}

char *stat_keep_command(char *const *command)
{
    AUTO_TEXT struct text text = {0};
    size_t left = COMMAND_BYTES;

    for (size_t i = 0; command[i]; i++) {
        const size_t length = strlen(command[i]);

        if (length + 1 > left) {
            text_append_string(&text, " ...");
            break;
        }
        text_append_string(&text, i > 0 ? " " : "");
        safe_text_append(&text, command[i], length);
        left -= length + 1;
    }
    return text_take(&text);
}

static json_t *events_json(const struct recording *recording)
{
    json_t *list = json_array();

    for (size_t i = 0; i < recording->n_events; i++) {
        const struct run_event *event = &recording->events[i];

        (void)json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o}", "name", json_of_text(event->name), "reason",
                            json_of_text(event->reason), "why", json_of_text(event->why),
                            "coverage", json_of_double(event->coverage)));
    }
    return list;
}

static json_t *columns_json(const struct recording *recording)
{
    json_t *list = json_array();

    for (size_t i = 0; i < recording->n_columns; i++) {
        const struct run_column *column = &recording->columns[i];

        (void)json_array_append_new(list, json_pack("{s:o, s:o, s:s, s:f}", "name",
                                                    json_of_text(column->name), "unit",
                                                    json_of_text(column->unit), "kind",
                                                    column->kind == RUN_TOTAL ? "total" : "ratio",
                                                    "factor", column->factor));
    }
    return list;
}

static json_t *times_json(const struct recording *recording)
{
    json_t *list = json_array();

    for (size_t i = 0; i < recording->n_rows; i++)
        (void)json_array_append_new(list, json_of_seconds(recording->times_ns[i]));
    return list;
}

static json_t *values_json(const struct recording *recording)
{
    json_t *lists = json_array();

    for (size_t c = 0; c < recording->n_columns; c++) {
        json_t *list = json_array();

        for (size_t i = 0; i < recording->n_rows; i++)
            (void)json_array_append_new(
                list,
                json_of_double(run_column_value(&recording->columns[c],
                                                recording->values[i * recording->n_columns + c])));
        (void)json_array_append_new(lists, list);
    }
    return lists;
}

json_t *stat_keep_json(const struct recording *recording)
{
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "title", json_of_text(recording->title), "target",
        json_of_text(recording->target), "start", json_of_seconds(recording->start_realtime_ns),
        "events", events_json(recording), "columns", columns_json(recording), "times",
        times_json(recording), "values", values_json(recording));

    if (object && recording->command)
        (void)json_object_set_new(object, "command", json_of_text(recording->command));
    if (object && recording->interval_ns)
        (void)json_object_set_new(object, "interval_seconds",
                                  json_of_seconds(recording->interval_ns));
    return object;
}

size_t stat_keep_bytes(double value)
{
    static const char between[] = ".0,";

    return isfinite(value) ? (size_t)snprintf(NULL, 0, "%.17g%s", value, between) : strlen("null,");
}
