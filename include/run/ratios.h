/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The built-in ratios whose events a run counts, with the same modifiers. */

#include "count/event_group.h"
#include "metric/formula.h"
#include "run/figures.h"

struct run_ratio {
    const char *name; /* static */
    char *suffix;     /* the modifiers of its events: ":u"; or "" */
    struct formula *formula;
};

struct run_ratios {
    const struct event_groups *groups; /* borrowed */
    char **names;                      /* of each event without modifiers; "" where it is absent */
    struct run_ratio *ratios;
    size_t n;
    double *values; /* scratch: of each event */
};

/* Finds them. 0 or -ENOMEM. To be ended by run_ratios_done() in any case. */
int run_ratios_find(const struct event_groups *groups, struct run_ratios *ret_ratios);
void run_ratios_done(struct run_ratios *ratios);

/*
 * Computes a ratio of one interval. NaN where there is none: some event of it is not known, or they
 * took turns on the PMU, so that it would compare different times.
 */
double run_ratio_of(const struct run_ratios *ratios, size_t ratio, const struct figure *figures);
