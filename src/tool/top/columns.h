/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What `pmutool top` shows of a target: a table of columns, each of which is made of counters of
 * the exporter. Only differences of counters are used, and no gauges, so a column tells of the
 * whole time between two readings and not of the exporter's last interval.
 */

#include <stdbool.h>
#include <stddef.h>

/* The counters that columns are made of. */
enum top_input {
    TOP_CPU_SECONDS,
    TOP_CYCLES,
    TOP_INSTRUCTIONS,
    TOP_CACHE_MISSES,
    TOP_BRANCH_MISSES,
    TOP_SWITCHES,
    TOP_MIGRATIONS,
    TOP_FAULTS,
    N_TOP_INPUTS,
};

/* Returns the input that a counter of this name is, as "task_clock_seconds_total" without the
 * prefix of its kind ("pmu_cgroup_"); N_TOP_INPUTS: it is none. */
enum top_input top_input_find(const char *name);

enum top_column_id {
    TOP_COLUMN_CPUS,
    TOP_COLUMN_IPC,
    TOP_COLUMN_CACHE_MISSES,
    TOP_COLUMN_BRANCH_MISSES,
    TOP_COLUMN_SWITCHES,
    TOP_COLUMN_MIGRATIONS,
    TOP_COLUMN_FAULTS,
    N_TOP_COLUMNS,
    TOP_COLUMN_NAME = N_TOP_COLUMNS, /* Rows can be sorted by it; it has no numbers. */
    N_TOP_ORDERS,
};

#define TOP_PER_SECOND N_TOP_INPUTS /* as the denominator of a column */

struct top_column {
    const char *name;  /* for -s and as a key of --json */
    const char *title; /* above the column */
    const char *help;  /* what the help says of it */
    char key;          /* the key that sorts by it */
    bool is_small;     /* Its numbers are shown with two decimals: they are of the size of 1. */
    enum top_input numerator;
    enum top_input denominator; /* an input, or TOP_PER_SECOND */
    double least_top; /* A sparkline that stays below this value does not reach its full height. */
};

/* The last entry is that of TOP_COLUMN_NAME, which has no inputs. */
extern const struct top_column top_columns[N_TOP_ORDERS];

/* Returns the column of this name, or N_TOP_ORDERS. */
enum top_column_id top_column_find(const char *name);

/*
 * Computes a column from what the inputs have grown by in so many seconds. NaN stands for what is
 * not known, in the inputs and in the result.
 */
double top_column_value(enum top_column_id id, const double growth[N_TOP_INPUTS], double seconds);
