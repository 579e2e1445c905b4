/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a run has counted: a row for each interval, with a number for each column. Columns of kind
 * total have what was counted in the interval, as a raw count of the kernel; ratios were computed
 * in it. A number that is not known is NaN. A run of kind `schedule` has recorded a trace beside,
 * and its rows have what that comes to. A run of kind `record` has sampled beside who made its
 * event happen.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "run/samples.h"
#include "run/schedule_trace.h"

/* What a run does. */
enum run_kind { RUN_COUNTS, RUN_SCHEDULE, RUN_RECORDS, RUN_KIND_COUNT_ };

/* The word: "count", "schedule", "record". Static. */
const char *run_kind_name(enum run_kind kind);

/* The kind of a word; RUN_COUNTS for any other: earlier versions had no other kind. */
enum run_kind run_kind_parse(const char *word);

enum run_column_kind { RUN_TOTAL, RUN_RATIO };

struct run_column {
    char *name;    /* of the event, or of the ratio */
    char *unit;    /* "seconds"; "": occurrences, or a plain number */
    double factor; /* by which a raw number becomes one of this unit */
    enum run_column_kind kind;
};

/* An event that was asked for. */
struct run_event {
    char *name;
    char *reason; /* why it is not counted, a word of event/absence.h; NULL: it is */
    char *why;    /* the same for people; NULL: nothing more can be said */
    /* The share of its time in which it had the PMU; NaN: not known. */
    double coverage;
};

/* How a run stands, or has ended. */
enum run_state {
    RUN_GOES_ON,
    RUN_IS_OVER,     /* the duration that was asked for is over */
    RUN_WAS_STOPPED, /* somebody stopped it */
    RUN_TARGET_GONE, /* the target has ended */
    RUN_CUT_SHORT,   /* the exporter has ended, in order */
    RUN_LOST,        /* the exporter has ended before it could keep what it had counted */
    RUN_IS_IMPORTED, /* somebody else has counted: pmutool stat --run */
    RUN_STATE_COUNT_,
};

/* The word: "running", "over", … Static. */
const char *run_state_name(enum run_state state);

/* The state of a word, also of one that earlier versions have kept; RUN_LOST: of any other. */
enum run_state run_state_parse(const char *word);

struct recording {
    uint64_t id;
    enum run_kind kind;
    char *title, *notes, *target;
    char *asked;   /* the events and groups that were asked for, as JSON; NULL: it is not known */
    char *command; /* what was counted by pmutool stat; NULL: nothing of the kind */
    uint64_t start_realtime_ns, end_realtime_ns; /* the end is 0 while it goes on */
    uint64_t interval_ns, duration_ns;           /* as asked for */
    unsigned rate_hz;                            /* of RUN_RECORDS, as asked for; of others 0 */
    bool takes_free;
    enum run_state state;

    struct run_event *events;
    size_t n_events;
    struct run_column *columns;
    size_t n_columns;

    uint64_t *times_ns; /* when each interval ended, since the start */
    double *values;     /* [row * n_columns + column] */
    size_t n_rows, most_rows;

    struct schedule_trace *schedule; /* of RUN_SCHEDULE, complete; NULL: it is not there yet */
    struct run_samples *samples;     /* of RUN_RECORDS, likewise */
};

struct recording *recording_new(void); /* empty; NULL: no memory */
struct recording *recording_free(struct recording *recording);
DEFINE_AUTO(recording, struct recording *, recording_free)

/* Add a column or an event, with copies of the texts. 0 or -ENOMEM. */
int recording_add_column(struct recording *recording, const char *name, const char *unit,
                         double factor, enum run_column_kind kind);
int recording_add_event(struct recording *recording, const char *name, const char *reason,
                        const char *why);

/*
 * Adds a row, whose numbers the caller fills in. NULL: no memory, or the run has RUN_SAMPLES_MAX
 * rows or RUN_VALUES_MAX numbers already.
 */
double *recording_add_row(struct recording *recording, uint64_t time_ns);

/* Copies the rows from `first` on, and all that describes them. NULL: no memory. */
struct recording *recording_copy(const struct recording *from, size_t first);

/*
 * What a column comes to. Of a total, mean, spread, least and most are rates per second over the
 * intervals, and the mean is exact over all of them; of a ratio they are those of its values.
 */
struct run_summary {
    size_t n;     /* intervals in which it is known; 0: nothing below means anything */
    double total; /* of a total: all that was counted, in the column's unit */
    double mean;
    double spread; /* the standard deviation */
    double least, most;
};
void recording_summarize(const struct recording *recording, size_t column,
                         struct run_summary *ret_summary);

/* The number in the unit of its column. */
double run_column_value(const struct run_column *column, double raw);

/* Packs the rows, and the trace, into bytes that compress well, and adds what was packed. 0,
 * -ENOMEM; -EBADMSG: these are no rows of such columns, or no trace. */
int recording_pack(const struct recording *recording, struct text *ret_bytes);
int recording_unpack(struct recording *recording, const void *bytes, size_t length);
