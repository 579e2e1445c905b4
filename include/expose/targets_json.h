/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes a snapshot as JSON, for programs that read numbers of this exporter: `pmutool top` is one.
 *
 *     {"process_start_time_seconds": 1795344000.120000000,
 *      "sequence": 12, "taken_seconds": 86400.250000000,
 *      "taken_realtime_seconds": 1795344012.250000000, "interval_seconds": 1.000000000,
 *      "stale": false, "paused": false,
 *      "uncounted": [{"kind": "process", "reason": "over_limit", "targets": 3}],
 *      "tables": [{"kind": "cgroup", "mechanism": "bpf",
 *                  "columns": [{"name": "pmu_cgroup_cycles_total", "type": "counter"},
 *                              {"name": "pmu_cgroup_group_coverage_ratio", "type": "gauge",
 *                               "group": "core"}],
 *                  "rows": [{"labels": {"cgroup": "/a.service"}, "info": {"unit": "a.service"},
 *                            "values": [18446744073709551614, 1]}]}]}
 *
 * - "kind" is the word behind "pmu_" in the names of the table: "cgroup", "process", "machine",
 *   "cpu". Several tables may be of one kind, if their targets have other groups of events.
 * - "values" has one number for each of the columns, the same that /metrics has under that name and
 *   these labels. What is not known is null. Counts are integers up to 2^64 - 1; who reads them as
 *   double precision numbers loses the last digits of those above 2^53.
 * - "sequence" is another number after each cycle of the exporter that began at
 *   "process_start_time_seconds". "taken_seconds" is the end of that cycle by CLOCK_MONOTONIC: the
 *   difference of two counters belongs to the difference of these times. "taken_realtime_seconds"
 *   is the same instant as clocks show it.
 * - "mechanism" is how targets of this kind are counted, "direct" or "bpf"; it may be null.
 * - "uncounted" has the targets that are wanted but not counted now, or only in part: what /metrics
 *   tells as pmu_exporter_targets_uncounted.
 * - A snapshot that is too old to be shown has no tables, and "stale" is true.
 *
 * A reader ignores keys that it does not know.
 */

#include "base/text.h"
#include "expose/exposition.h"
#include "metric/target_filter.h"

#define TARGETS_JSON_CONTENT_TYPE "application/json"

/* What of a snapshot is written. All zero: everything but histograms and columns of CPUs. */
struct targets_selection {
    /* Only these targets, and no table without one of them. None: all targets. */
    const struct target_filter *targets;
    size_t n_targets;

    /*
     * Only columns of these names, and no table without one of them. None: all columns. A histogram
     * that is named has a column for each of its buckets, with the label le, and one with the name
     * of its sum, "…_seconds_sum", where that is named. Columns for each CPU are only told if they
     * are named, too, and so is what is counted by key, of which each column has the labels of the
     * key. A table whose targets have such a family, and no key of it yet, lacks its columns.
     */
    const char *const *columns;
    size_t n_columns;
};

/* Appends the text to one that is empty. Returns 0 or -ENOMEM. */
int targets_json_write(const struct snapshot *snapshot, const struct exposition_facts *facts,
                       const struct targets_selection *selection, struct text *text);
