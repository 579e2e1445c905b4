/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The ratios that need no configuration. Each exists if one group has all of its events. */

#include <stddef.h>

struct builtin_ratio {
    const char *name;    /* what the metric is called behind its prefix: "instructions_per_cycle" */
    const char *formula; /* uses canonical names of events */
    const char *help;    /* one line without a full stop: plan_ratios.c makes a sentence of it */
};

extern const struct builtin_ratio builtin_ratios[];
extern const size_t n_builtin_ratios;
