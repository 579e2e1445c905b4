/* SPDX-License-Identifier: Apache-2.0 */
#include "run/recording.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "run/mean.h"
#include "run/request.h"

#define FIRST_ROWS 64

/* What the state "imported" was called by earlier versions, which have kept it so. */
#define IMPORTED_BEFORE "given"

static const char *const state_names[] = {
    [RUN_GOES_ON] = "running",         [RUN_IS_OVER] = "over",        [RUN_WAS_STOPPED] = "stopped",
    [RUN_TARGET_GONE] = "target_gone", [RUN_CUT_SHORT] = "cut_short", [RUN_LOST] = "lost",
    [RUN_IS_IMPORTED] = "imported",
};

static const char *const kind_names[RUN_KIND_COUNT_] = {
    [RUN_COUNTS] = "count", [RUN_SCHEDULE] = "schedule", [RUN_RECORDS] = "record"};

const char *run_kind_name(enum run_kind kind)
{
    return kind_names[kind];
}

enum run_kind run_kind_parse(const char *word)
{
    for (enum run_kind kind = RUN_COUNTS; word && kind < RUN_KIND_COUNT_; kind++)
        if (strcmp(word, kind_names[kind]) == 0)
            return kind;
    return RUN_COUNTS;
}

const char *run_state_name(enum run_state state)
{
    return state_names[state];
}

enum run_state run_state_parse(const char *word)
{
    enum run_state state = RUN_GOES_ON;

    if (!word)
        return RUN_LOST;
    if (strcmp(word, IMPORTED_BEFORE) == 0)
        return RUN_IS_IMPORTED;
    while (state < RUN_STATE_COUNT_ && strcmp(run_state_name(state), word) != 0)
        state++;
    return state < RUN_STATE_COUNT_ ? state : RUN_LOST;
}

struct recording *recording_new(void)
{
    return calloc(1, sizeof(struct recording));
}

struct recording *recording_free(struct recording *recording)
{
    if (!recording)
        return NULL;
    for (size_t i = 0; i < recording->n_events; i++) {
        free(recording->events[i].name);
        free(recording->events[i].reason);
        free(recording->events[i].why);
    }
    for (size_t i = 0; i < recording->n_columns; i++) {
        free(recording->columns[i].name);
        free(recording->columns[i].unit);
    }
    free(recording->events);
    free(recording->columns);
    free(recording->title);
    free(recording->notes);
    free(recording->target);
    free(recording->asked);
    free(recording->command);
    free(recording->times_ns);
    free(recording->values);
    (void)schedule_trace_unref(recording->schedule);
    (void)run_samples_unref(recording->samples);
    free(recording);
    return NULL;
}

int recording_add_column(struct recording *recording, const char *name, const char *unit,
                         double factor, enum run_column_kind kind)
{
    struct run_column *columns =
        reallocarray(recording->columns, recording->n_columns + 1, sizeof(*columns));
    struct run_column *column;

    if (!columns)
        return -ENOMEM;
    recording->columns = columns;
    column = &columns[recording->n_columns++];
    *column = (struct run_column){
        .name = strdup(name), .unit = strdup(unit), .factor = factor, .kind = kind};
    return column->name && column->unit ? 0 : -ENOMEM;
}

int recording_add_event(struct recording *recording, const char *name, const char *reason,
                        const char *why)
{
    struct run_event *events =
        reallocarray(recording->events, recording->n_events + 1, sizeof(*events));
    struct run_event *event;

    if (!events)
        return -ENOMEM;
    recording->events = events;
    event = &events[recording->n_events++];
    *event = (struct run_event){.name = strdup(name),
                                .reason = reason ? strdup(reason) : NULL,
                                .why = why ? strdup(why) : NULL,
                                .coverage = NAN};
    return event->name && (!reason || event->reason) && (!why || event->why) ? 0 : -ENOMEM;
}

static bool has_room(const struct recording *recording)
{
    return recording->n_rows < RUN_SAMPLES_MAX &&
           (recording->n_rows + 1) * recording->n_columns <= RUN_VALUES_MAX;
}

/* Makes room for one row more. */
static bool grow(struct recording *recording)
{
    const size_t most = recording->most_rows ? 2 * recording->most_rows : FIRST_ROWS;
    uint64_t *times;
    double *values;

    if (recording->n_rows < recording->most_rows)
        return true;
    times = reallocarray(recording->times_ns, most, sizeof(*times));
    if (!times)
        return false;
    recording->times_ns = times;
    values = reallocarray(recording->values, most * (recording->n_columns + 1), sizeof(*values));
    if (!values)
        return false;
    recording->values = values;
    recording->most_rows = most;
    return true;
}

double *recording_add_row(struct recording *recording, uint64_t time_ns)
{
    double *row;

    if (!has_room(recording) || !grow(recording))
        return NULL;
    row = recording->values + recording->n_rows * recording->n_columns;
    for (size_t i = 0; i < recording->n_columns; i++)
        row[i] = NAN;
    recording->times_ns[recording->n_rows++] = time_ns;
    return row;
}

static int copy_text(const char *from, char **to)
{
    *to = from ? strdup(from) : NULL;
    return from && !*to ? -ENOMEM : 0;
}

/* Copies what describes the rows. 0 or -ENOMEM. */
static int copy_head(const struct recording *from, struct recording *to)
{
    int r = copy_text(from->title, &to->title) | copy_text(from->notes, &to->notes) |
            copy_text(from->target, &to->target) | copy_text(from->asked, &to->asked) |
            copy_text(from->command, &to->command);

    for (size_t i = 0; i < from->n_events && r == 0; i++) {
        r = recording_add_event(to, from->events[i].name, from->events[i].reason,
                                from->events[i].why);
        if (r == 0)
            to->events[i].coverage = from->events[i].coverage;
    }
    for (size_t i = 0; i < from->n_columns && r == 0; i++)
        r = recording_add_column(to, from->columns[i].name, from->columns[i].unit,
                                 from->columns[i].factor, from->columns[i].kind);
    return r;
}

struct recording *recording_copy(const struct recording *from, size_t first)
{
    AUTO(recording) struct recording *copy = recording_new();

    if (!copy)
        return NULL;
    copy->id = from->id;
    copy->kind = from->kind;
    copy->schedule = schedule_trace_ref(from->schedule);
    copy->samples = run_samples_ref(from->samples);
    copy->rate_hz = from->rate_hz;
    copy->start_realtime_ns = from->start_realtime_ns;
    copy->end_realtime_ns = from->end_realtime_ns;
    copy->interval_ns = from->interval_ns;
    copy->duration_ns = from->duration_ns;
    copy->takes_free = from->takes_free;
    copy->state = from->state;
    if (copy_head(from, copy) < 0)
        return NULL;
    for (size_t i = first; i < from->n_rows; i++) {
        double *row = recording_add_row(copy, from->times_ns[i]);

        if (!row)
            return NULL;
        memcpy(row, from->values + i * from->n_columns, from->n_columns * sizeof(*row));
    }
    return TAKE(copy);
}

double run_column_value(const struct run_column *column, double raw)
{
    /* Divided, a number of nanoseconds has no digits that nobody counted. */
    return column->factor == 1e-9 ? raw / 1e9 : raw * column->factor;
}

void recording_summarize(const struct recording *recording, size_t column,
                         struct run_summary *ret_summary)
{
    const struct run_column *head = &recording->columns[column];
    struct run_summary summary = {.least = INFINITY, .most = -INFINITY};
    struct mean mean = {0};
    double raw = 0, seconds = 0, since = 0;

    for (size_t i = 0; i < recording->n_rows; i++) {
        const double value = recording->values[i * recording->n_columns + column];
        const double now = (double)recording->times_ns[i] / (double)NS_PER_SECOND;
        double shown = run_column_value(head, value);

        if (isnan(value) || now <= since)
            continue;
        if (head->kind == RUN_TOTAL) {
            shown /= now - since;
            raw += value;
            seconds = now;
        }
        since = now;
        mean_add(&mean, shown);
        summary.least = fmin(summary.least, shown);
        summary.most = fmax(summary.most, shown);
    }
    summary.n = mean.n;
    summary.total = run_column_value(head, raw);
    summary.mean = head->kind == RUN_TOTAL && seconds > 0 ? summary.total / seconds : mean.mean;
    summary.spread = mean_spread(&mean);
    *ret_summary = summary;
}
