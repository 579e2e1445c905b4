/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "run/object.h"
#include "run/recording_text.h"
#include "run/schedule_text.h"

#define NAMED_MOST 8 /* columns of a run that a sentence names */

static double seconds_of(uint64_t ns)
{
    return (double)ns / (double)NS_PER_SECOND;
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *asked_json(const struct recording *recording)
{
    json_t *asked = recording->asked ? json_loads(recording->asked, 0, NULL) : NULL;

    return asked ? asked : json_null();
}

static json_t *list_events(const struct recording *recording)
{
    json_t *list = json_array();

    for (size_t i = 0; i < recording->n_events; i++) {
        const struct run_event *event = &recording->events[i];

        (void)json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o}", "name", event->name,
                                                    "reason", text_or_null(event->reason), "why",
                                                    text_or_null(event->why), "coverage",
                                                    number(event->coverage)));
    }
    return list;
}

static json_t *column_json(const struct run_column *column)
{
    return json_pack("{s:s, s:s, s:s, s:f}", "name", column->name, "unit", column->unit, "kind",
                     column->kind == RUN_TOTAL ? "total" : "ratio", "factor", column->factor);
}

static json_t *summary_json(const struct recording *recording, size_t column)
{
    const bool is_total = recording->columns[column].kind == RUN_TOTAL;
    struct run_summary summary;

    recording_summarize(recording, column, &summary);
    if (summary.n == 0)
        return json_pack("{s:i, s:n, s:n, s:n, s:n, s:n}", "n", 0, "total", "mean", "spread", "min",
                         "max");
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "n", (json_int_t)summary.n, "total",
                     is_total ? number(summary.total) : json_null(), "mean", number(summary.mean),
                     "spread", number(summary.spread), "min", number(summary.least), "max",
                     number(summary.most));
}

static json_t *list_columns(const struct recording *recording, bool summaries)
{
    json_t *list = json_array();

    for (size_t i = 0; i < recording->n_columns; i++)
        (void)json_array_append_new(list, summaries ? summary_json(recording, i)
                                                    : column_json(&recording->columns[i]));
    return list;
}

/* What a run of kind `record` has sampled. */
static json_t *sampled_json(const struct recording *recording)
{
    const struct run_samples *samples = recording->samples;

    if (recording->kind != RUN_RECORDS)
        return json_null();
    if (!samples)
        return json_pack("{s:i, s:n, s:n, s:n}", "rate", recording->rate_hz, "samples", "lost",
                         "complete");
    return json_pack("{s:i, s:I, s:I, s:I}", "rate", recording->rate_hz, "samples",
                     (json_int_t)samples->taken, "lost", (json_int_t)samples->lost, "complete",
                     (json_int_t)samples->complete);
}

static json_t *head_json(const struct recording *recording)
{
    return json_pack(
        "{s:I, s:s, s:s, s:s, s:s, s:o, s:f, s:o, s:f, s:f, s:s, s:s, s:I, s:o, s:o, s:o, s:o, "
        "s:o}",
        "id", (json_int_t)recording->id, "kind", run_kind_name(recording->kind), "title",
        recording->title, "notes", recording->notes, "target", recording->target, "command",
        text_or_null(recording->command), "start", seconds_of(recording->start_realtime_ns), "end",
        recording->end_realtime_ns ? json_real(seconds_of(recording->end_realtime_ns))
                                   : json_null(),
        "interval_seconds", seconds_of(recording->interval_ns), "duration_seconds",
        seconds_of(recording->duration_ns), "counters", recording->takes_free ? "free" : "budget",
        "state", run_state_name(recording->state), "samples", (json_int_t)recording->n_rows,
        "asked", asked_json(recording), "sampled", sampled_json(recording), "events",
        list_events(recording), "columns", list_columns(recording, false), "summary",
        list_columns(recording, true));
}

static void append_value(double value, struct text *text)
{
    if (isfinite(value))
        text_append_double(text, value);
    else
        text_append_string(text, "null");
}

/* Appends the key of the times, and the values, up to the last bracket. */
static void append_rows(const struct recording *recording, size_t first, struct text *text)
{
    text_append_string(text, "\"times\": [");
    for (size_t i = first; i < recording->n_rows; i++) {
        text_append_string(text, i > first ? "," : "");
        text_append_seconds(text, recording->times_ns[i]);
    }
    text_append_string(text, "], \"values\": [");
    for (size_t c = 0; c < recording->n_columns; c++) {
        text_append_string(text, c > 0 ? ",[" : "[");
        for (size_t i = first; i < recording->n_rows; i++) {
            text_append_string(text, i > first ? "," : "");
            append_value(run_column_value(&recording->columns[c],
                                          recording->values[i * recording->n_columns + c]),
                         text);
        }
        text_append_char(text, ']');
    }
    text_append_char(text, ']');
}

void recording_append_rows(const struct recording *recording, size_t first, struct text *text)
{
    text_append_char(text, '{');
    append_rows(recording, first, text);
    text_append_char(text, '}');
}

int recording_append_json(const struct recording *recording, bool with_rows, struct text *text)
{
    AUTO_JSON json_t *head = head_json(recording);
    AUTO_FREE char *dumped = head ? json_dumps(head, JSON_COMPACT) : NULL;

    if (!dumped)
        return -ENOMEM;
    if (!with_rows) {
        text_append_string(text, dumped);
        return text_error(text);
    }
    text_append(text, dumped, strlen(dumped) - 1);
    text_append_string(text, ", ");
    append_rows(recording, 0, text);
    if (recording->schedule) {
        text_append_string(text, ", \"schedule\": ");
        if (schedule_text_append_report(recording->schedule, text) < 0)
            return -ENOMEM;
    }
    text_append_char(text, '}');
    return text_error(text);
}

/* A name as a field of CSV (RFC 4180). */
static void append_field(const char *name, struct text *text)
{
    if (!strpbrk(name, ",\"\r\n")) {
        text_append_string(text, name);
        return;
    }
    text_append_char(text, '"');
    for (const char *c = name; *c; c++) {
        if (*c == '"')
            text_append_char(text, '"');
        text_append_char(text, *c);
    }
    text_append_char(text, '"');
}

void recording_append_csv(const struct recording *recording, struct text *text)
{
    text_append_string(text, "seconds");
    for (size_t i = 0; i < recording->n_columns; i++) {
        text_append_char(text, ',');
        append_field(recording->columns[i].name, text);
    }
    text_append_char(text, '\n');
    for (size_t i = 0; i < recording->n_rows; i++) {
        text_append_seconds(text, recording->times_ns[i]);
        for (size_t c = 0; c < recording->n_columns; c++) {
            const double value = recording->values[i * recording->n_columns + c];

            text_append_char(text, ',');
            if (isfinite(value))
                text_append_double(text, run_column_value(&recording->columns[c], value));
        }
        text_append_char(text, '\n');
    }
}

/* The index of the column of that name; n_columns: there is none. */
static size_t find_column(const struct recording *recording, const struct run_column *column)
{
    size_t i = 0;

    while (i < recording->n_columns && (strcmp(recording->columns[i].name, column->name) != 0 ||
                                        recording->columns[i].kind != column->kind))
        i++;
    return i;
}

static json_t *change_of(const struct recording *a, size_t column_a, const struct recording *b,
                         size_t column_b)
{
    struct run_summary before, after;

    recording_summarize(a, column_a, &before);
    recording_summarize(b, column_b, &after);
    return before.n > 0 && after.n > 0 && before.mean != 0 ? number(after.mean / before.mean - 1)
                                                           : json_null();
}

static bool have_common(const struct recording *a, const struct recording *b)
{
    for (size_t i = 0; i < a->n_columns; i++)
        if (find_column(b, &a->columns[i]) < b->n_columns)
            return true;
    return false;
}

/* Appends which run it is, and what it has; of a long list the beginning. */
static void append_counted(const struct recording *recording, struct text *text)
{
    const size_t n = recording->n_columns < NAMED_MOST ? recording->n_columns : NAMED_MOST;

    text_append_format(text, "run %" PRIu64 " has ", recording->id);
    for (size_t i = 0; i < n; i++)
        text_append_format(text, "%s%.64s", i > 0 ? ", " : "", recording->columns[i].name);
    if (recording->n_columns == 0)
        text_append_string(text, "nothing");
    else if (n < recording->n_columns)
        text_append_string(text, " and others");
}

static int refuse_comparison(const struct recording *a, const struct recording *b,
                             struct text *text)
{
    append_counted(a, text);
    text_append_string(text, ", and ");
    append_counted(b, text);
    text_append_string(text, "; expected two runs that have counted the same event");
    return -EINVAL;
}

int recording_append_comparison(const struct recording *a, const struct recording *b,
                                struct text *text)
{
    AUTO_JSON json_t *columns = NULL;
    AUTO_JSON json_t *answer = NULL;
    AUTO_FREE char *dumped = NULL;

    if (!have_common(a, b))
        return refuse_comparison(a, b, text);
    columns = json_array();
    for (size_t i = 0; i < a->n_columns; i++) {
        const size_t other = find_column(b, &a->columns[i]);
        json_t *line;

        if (other == b->n_columns)
            continue;
        line = column_json(&a->columns[i]);
        (void)json_object_set_new(line, "a", summary_json(a, i));
        (void)json_object_set_new(line, "b", summary_json(b, other));
        (void)json_object_set_new(line, "change", change_of(a, i, b, other));
        (void)json_array_append_new(columns, line);
    }
    answer = json_pack("{s:o, s:o, s:O}", "a", head_json(a), "b", head_json(b), "columns", columns);
    dumped = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
    if (!dumped)
        return -ENOMEM;
    text_append_string(text, dumped);
    return text_error(text);
}
