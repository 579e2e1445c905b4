/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The table as plain text, and as JSON: for pipes and scripts. */

#include "base/text.h"
#include "tool/top/view.h"

/* What stands above the table. */
struct top_about {
    const char *source;    /* "exporter" or "own counters" */
    const char *mechanism; /* "bpf" or "direct"; empty: not known */
    double now;            /* CLOCK_REALTIME in seconds */
    const char *uncounted; /* as in struct top_page */
    bool paused;           /* The exporter leaves the hardware counters alone for now. */
};

/* Appends one table, with an empty line behind it. */
void top_batch_append_table(struct text *text, const struct top_rows *rows,
                            const struct top_view *view, const struct top_about *about);

/*
 * Appends one line with a JSON object:
 *
 *     {"time": 1795344000.5, "seconds": 1.0, "source": "…", "mechanism": "bpf", "paused": false,
 *      "uncounted": "", "machine": {"cpus_online": 2, "cpus": 0.7, …},
 *      "targets": [{"kind": "cgroup", "name": "/a.service", "cpus": 0.5, "ipc": null, …}]}
 *
 * The keys of numbers are the names of the columns, and those of the whole table are always there;
 * what is not known is null. Names are the labels of the exporter. Returns 0 or -ENOMEM.
 */
int top_batch_append_json(struct text *text, const struct top_rows *rows,
                          const struct top_view *view, const struct top_about *about);
