/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The ratios that need no configuration: each exists where one group has all its events. */

#include <stddef.h>

struct builtin_ratio {
    const char *name;    /* of the metric, without prefix: "instructions_per_cycle" */
    const char *formula; /* over canonical event names */
    const char *help;    /* one line without a full stop */
};

extern const struct builtin_ratio builtin_ratios[];
extern const size_t n_builtin_ratios;
