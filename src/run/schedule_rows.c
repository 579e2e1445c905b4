/* SPDX-License-Identifier: Apache-2.0 */
#include "run/schedule_rows.h"

#include <math.h>
#include <stdlib.h>

#include "run/schedule_replay.h"

static const struct {
    const char *name, *unit;
    double factor;
    enum run_column_kind kind;
} columns[SCHEDULE_COLUMN_COUNT_] = {
    [SCHEDULE_COLUMN_SWITCHES] = {"switches", "", 1, RUN_TOTAL},
    [SCHEDULE_COLUMN_PREEMPTIONS] = {"preemptions", "", 1, RUN_TOTAL},
    [SCHEDULE_COLUMN_WAKES] = {"wake-ups", "", 1, RUN_TOTAL},
    [SCHEDULE_COLUMN_MOVES] = {"migrations", "", 1, RUN_TOTAL},
    [SCHEDULE_COLUMN_LOST] = {"lost-records", "", 1, RUN_TOTAL},
    [SCHEDULE_COLUMN_RAN] = {"time-on-cpus", "seconds", 1e-9, RUN_TOTAL},
    [SCHEDULE_COLUMN_WAITED] = {"time-waited", "seconds", 1e-9, RUN_TOTAL},
    [SCHEDULE_COLUMN_LONGEST_WAIT] = {"longest-wait", "seconds", 1e-9, RUN_RATIO},
    [SCHEDULE_COLUMN_REQUESTS] = {"block-requests", "", 1, RUN_TOTAL},
    [SCHEDULE_COLUMN_EXITS] = {"kvm-exits", "", 1, RUN_TOTAL},
};

int schedule_rows_add_columns(struct recording *recording)
{
    int r = 0;

    for (size_t i = 0; i < SCHEDULE_COLUMN_COUNT_ && r == 0; i++)
        r = recording_add_column(recording, columns[i].name, columns[i].unit, columns[i].factor,
                                 columns[i].kind);
    return r;
}

/* The row in whose interval the time is; what is later belongs to the last one. */
static size_t row_at(const struct recording *recording, uint64_t time_ns)
{
    size_t first = 0, end = recording->n_rows - 1;

    while (first < end) {
        const size_t middle = first + (end - first) / 2;

        if (recording->times_ns[middle] <= time_ns)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static double *value_at(struct recording *recording, uint64_t time_ns, enum schedule_column column)
{
    return &recording->values[row_at(recording, time_ns) * recording->n_columns + column];
}

/* Shares a time on a CPU out among the intervals. */
static void add_slice(struct recording *recording, const struct schedule_slice *slice)
{
    size_t row = row_at(recording, slice->start_ns);
    uint64_t from = slice->start_ns;

    if (slice->thread == SCHEDULE_IDLE)
        return;
    for (; row < recording->n_rows && from < slice->end_ns; row++) {
        const uint64_t end = row + 1 < recording->n_rows ? recording->times_ns[row] : UINT64_MAX;
        const uint64_t to = end < slice->end_ns ? end : slice->end_ns;

        if (to <= from)
            continue;
        recording->values[row * recording->n_columns + SCHEDULE_COLUMN_RAN] += (double)(to - from);
        from = to;
    }
}

enum schedule_column schedule_rows_column_of(enum schedule_kind kind)
{
    static const enum schedule_column of_kinds[SCHEDULE_KIND_COUNT_] = {
        [SCHEDULE_RUNS] = SCHEDULE_COLUMN_COUNT_,      [SCHEDULE_SWITCH] = SCHEDULE_COLUMN_SWITCHES,
        [SCHEDULE_WAKE] = SCHEDULE_COLUMN_WAKES,       [SCHEDULE_START] = SCHEDULE_COLUMN_WAKES,
        [SCHEDULE_MOVE] = SCHEDULE_COLUMN_MOVES,       [SCHEDULE_LOSS] = SCHEDULE_COLUMN_COUNT_,
        [SCHEDULE_REQUEST] = SCHEDULE_COLUMN_REQUESTS, [SCHEDULE_EXIT] = SCHEDULE_COLUMN_EXITS,
    };

    return of_kinds[kind];
}

void schedule_rows_hide(const struct schedule_trace *trace, double *row)
{
    if (!trace->requests_told.is_told)
        row[SCHEDULE_COLUMN_REQUESTS] = NAN;
    if (!trace->exits_told.is_told)
        row[SCHEDULE_COLUMN_EXITS] = NAN;
}

static void add_step(struct recording *recording, const struct schedule_step *step)
{
    const struct schedule_event *event = step->event;
    const enum schedule_column column = schedule_rows_column_of(event->kind);
    const uint64_t now = event->time_ns;

    if (column != SCHEDULE_COLUMN_COUNT_)
        *value_at(recording, now, column) += 1;
    if (schedule_is_preemption(event->kind, event->state, event->flags, event->a != SCHEDULE_IDLE))
        *value_at(recording, now, SCHEDULE_COLUMN_PREEMPTIONS) += 1;
    if (step->has_slice)
        add_slice(recording, &step->slice);
    if (step->has_wait) {
        const double ns = (double)(step->wait.end_ns - step->wait.start_ns);
        double *longest = value_at(recording, now, SCHEDULE_COLUMN_LONGEST_WAIT);

        *value_at(recording, now, SCHEDULE_COLUMN_WAITED) += ns;
        *longest = fmax(*longest, ns); /* also if it is NaN */
    }
}

/* Lost records stay in the rows in which their number was seen. */
static void clear(struct recording *recording)
{
    for (size_t row = 0; row < recording->n_rows; row++) {
        double *values = &recording->values[row * recording->n_columns];

        for (size_t i = 0; i < SCHEDULE_COLUMN_COUNT_; i++)
            if (i != SCHEDULE_COLUMN_LOST)
                values[i] = columns[i].kind == RUN_TOTAL ? 0 : NAN;
        schedule_rows_hide(recording->schedule, values);
    }
}

void schedule_rows_fill(struct recording *recording)
{
    AUTO(schedule_replay) struct schedule_replay *replay = schedule_replay_new(recording->schedule);
    struct schedule_step step;
    struct schedule_slice last;

    if (!replay || recording->n_rows == 0 || recording->n_columns != SCHEDULE_COLUMN_COUNT_)
        return;
    clear(recording);
    while (schedule_replay_next(replay, &step))
        add_step(recording, &step);
    for (size_t cpu = 0; cpu < recording->schedule->n_cpus; cpu++)
        if (schedule_replay_last(replay, cpu, &last))
            add_slice(recording, &last);
}
