/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Numbers that are derived from what was counted, and stand behind an event in the table. */

#include <stdbool.h>
#include <stddef.h>

#include "tool/stat/report.h"

struct derived {
    double value;
    int decimals;
    bool is_percent;
    const char *unit; /* what it is, as perf says it: "insn per cycle", "K/sec", or the name of a
                         ratio. Static, or the report's */
};

/* No event has more of them. */
#define MOST_DERIVED 8

/*
 * Derives the numbers of an event in a part. A ratio of the configuration stands behind the first
 * event that it uses. The first is the one that perf shows; of has_first it
 * is told whether that is there. Returns how many there are, with the first.
 *
 * A ratio exists where all its events were counted together: in one group, or all the time. Of
 * events that took turns on the PMU it would compare different times.
 */
size_t derive(const struct report *report, size_t part, size_t event,
              struct derived ret_derived[MOST_DERIVED], bool *ret_has_first);
