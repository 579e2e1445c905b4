/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A page of numbers as `pmutool top` reads it: what expose/targets_json.h describes, taken apart.
 * Both sources give such a page, the exporter over its socket and a collector of our own.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "tool/top/columns.h"

enum top_kind { TOP_MACHINE, TOP_CGROUP, TOP_PROCESS, N_TOP_KINDS };

/* What a page says of one target. */
struct top_reading {
    enum top_kind kind;
    const char *name; /* the label that tells it from others; empty for the machine; borrowed */
    double started;   /* pmu_*_start_time_seconds; NaN: not told */
    double members;   /* processes that live; NaN: not told */
    double totals[N_TOP_INPUTS]; /* NaN: not known */
};

struct top_page {
    json_t *root;           /* a reference; it owns the names */
    double process_started; /* when the exporter began, in seconds since the epoch */
    double sequence;
    double taken; /* seconds of CLOCK_MONOTONIC */
    double interval;
    bool stale, paused;
    char uncounted[160];          /* what is not counted, in words for the user; empty: nothing */
    double cpus;                  /* that are online; NaN: not told */
    char mechanism[8];            /* that of the targets; empty: not told */
    struct top_reading *readings; /* There is at most one of the machine. */
    size_t n;
};

/*
 * Takes a page apart, and takes a reference to it. What it does not know it ignores; what it knows
 * has to be of the right form. Returns 0; -EPROTO, with *ret_expected saying what was expected, a
 * static text; -ENOMEM. The caller ends the page by top_page_done() after a success.
 */
int top_page_read(json_t *value, struct top_page *ret_page, const char **ret_expected);
void top_page_done(struct top_page *page);
