/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Pages and rows of invented targets, for tests of pmutool top. */

#include "support/check.h"

#include <math.h>
#include <string.h>

#include "tool/top/rows.h"

/* A reading of which only these counters are known. */
static inline struct top_reading fixture_reading(enum top_kind kind, const char *name,
                                                 double cpu_seconds, double switches)
{
    struct top_reading reading = {.kind = kind, .name = name, .started = NAN, .members = NAN};

    for (size_t i = 0; i < N_TOP_INPUTS; i++)
        reading.totals[i] = NAN;
    reading.totals[TOP_CPU_SECONDS] = cpu_seconds;
    reading.totals[TOP_SWITCHES] = switches;
    return reading;
}

/* The page of a cycle that ended at so many seconds, of an exporter that began at 1000. */
static inline struct top_page fixture_page(double taken, struct top_reading *readings, size_t n)
{
    return (struct top_page){.process_started = 1000,
                             .sequence = taken,
                             .taken = taken,
                             .interval = 1,
                             .cpus = 2,
                             .readings = readings,
                             .n = n};
}

/* Finds the row of a target. NULL if there is none. */
static inline const struct top_row *fixture_find(const struct top_rows *rows, enum top_kind kind,
                                                 const char *name)
{
    const struct top_row *row;

    for (row = rows->hash; row; row = row->hh.next)
        if (row->kind == kind && strcmp(top_row_name(row), name) == 0)
            return row;
    return NULL;
}

static inline void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-9))
        fail_msg("%.12g is not %.12g", value, expected);
}
