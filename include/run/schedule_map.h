/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* CPUs over time, as `perf sched map` shows them: who had most of each CPU in each column of time.
 */

#include "base/text.h"
#include "run/schedule_trace.h"

#define SCHEDULE_MAP_COLUMNS_MAX 4000
#define SCHEDULE_MAP_CELLS_MAX   1000000 /* with more CPUs there are fewer columns */

/* The part of a trace that is wanted; an end of 0 is that of the trace. */
struct schedule_map_range {
    uint64_t start_ns, end_ns;
    size_t columns; /* at least 1 */
};

/*
 * Appends
 *
 *     {"start", "end", "columns": n, "threads": [THREAD], "cpus": [{"cpu",
 *      "threads": [an index of "threads", or null: nobody is known to have had it],
 *      "shares": [of the column that it had], "busy": [that was not idle]}],
 *      "requests": [{"device", "operation", LANE}],
 *      "exits": [{"guest": THREAD, "vcpu", "reason", LANE}]}
 *
 * with THREAD as in run/schedule_text.h, each that has a cell once, and times in seconds since
 * recording began. LANE is "counts": [how many have ended in each column], "shares": [how many
 * there were at a time, on the average]; there are 24 of requests and of exits at most. 0 or
 * -ENOMEM.
 */
int schedule_map_append(const struct schedule_trace *trace, const struct schedule_map_range *range,
                        struct text *text);
