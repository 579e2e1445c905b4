/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What events have counted, in an interval, a run or several runs. Plain data. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/event_group.h"
#include "count/sample.h"
#include "run/mean.h"

/* What an event has counted in a part of the target, as raw counts of the kernel. */
struct figure {
    struct mean count;   /* over the runs; of one run, what was counted in it */
    struct mean enabled; /* ns */
    struct mean running; /* ns */
    uint64_t exact;      /* what was counted in the last run, or interval, as an integer */
    uint64_t enabled_ns; /* times of that run or interval */
    uint64_t running_ns;
    bool is_known; /* `exact` is known; else the event has waited for the PMU */
};

/* Whether there is something to show: in one run at least the count is known. */
static inline bool figure_is_counted(const struct figure *figure)
{
    return figure->count.n > 0;
}

/*
 * Adds what a sample says to the figures of a part, which are those of a run or interval that goes
 * on. What was unknown becomes known with a later sample.
 */
void figures_add_sample(struct figure *figures, const struct event_groups *groups,
                        const struct sample *sample);

/* Begins another run. The means stay. */
void figures_begin_run(struct figure *figures, size_t n);

/*
 * Begins another interval, with means of its own. What is not known yet goes on into it, so that
 * the intervals together have all that was counted.
 */
void figures_begin_interval(struct figure *figures, size_t n);

/* The run or interval has ended: takes what is known of it into the means. */
void figures_end(struct figure *figures, size_t n);

/* The coverage: the share of the time enabled in which the event was counted; at most 1. */
double figure_coverage(const struct figure *figure);
