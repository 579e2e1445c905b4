/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The rows of a run of kind `schedule`: what happened in each interval. They are what plots and
 * comparisons of runs show.
 */

#include "run/recording.h"

enum schedule_column {
    SCHEDULE_COLUMN_SWITCHES,
    SCHEDULE_COLUMN_PREEMPTIONS,
    SCHEDULE_COLUMN_WAKES,
    SCHEDULE_COLUMN_MOVES,
    SCHEDULE_COLUMN_LOST,
    SCHEDULE_COLUMN_RAN,
    SCHEDULE_COLUMN_WAITED,
    SCHEDULE_COLUMN_LONGEST_WAIT,
    SCHEDULE_COLUMN_REQUESTS,
    SCHEDULE_COLUMN_EXITS,
    SCHEDULE_COLUMN_COUNT_,
};

/* Adds the columns to a recording that has none. 0 or -ENOMEM. */
int schedule_rows_add_columns(struct recording *recording);

/* The column in which an event of a kind is counted; SCHEDULE_COLUMN_COUNT_: in none. */
enum schedule_column schedule_rows_column_of(enum schedule_kind kind);

/* Makes unknown in a row what the trace does not tell of. */
void schedule_rows_hide(const struct schedule_trace *trace, double *row);

/*
 * Computes the rows, whose times stand, from the complete trace of the recording: switches and
 * wake-ups in the interval in which they happened, waits in that in which they ended, times on CPUs
 * shared out among all. Without memory they stay as they are.
 */
void schedule_rows_fill(struct recording *recording);

/* Whether it is a switch that took a CPU from a thread of the target that could have gone on. */
static inline bool schedule_is_preemption(unsigned kind, uint32_t state, unsigned flags,
                                          bool is_thread)
{
    return kind == SCHEDULE_SWITCH && state == 0 && flags & SCHEDULE_A_IS_OURS && is_thread;
}
