/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Runs as others read and write them. A run is the JSON object
 *
 *     {"id": 7, "kind": "count"|"schedule"|"record",
 *      "title": …, "notes": …, "target": …, "command": …|null, "start": s, "end": s|null,
 *      "interval_seconds": …, "duration_seconds": …, "counters": "budget"|"free",
 *      "state": "running"|"over"|…, "samples": n,
 *      "events": [{"name", "reason", "why", "coverage"}],
 *      "columns": [{"name", "unit", "kind": "total"|"ratio", "factor"}],
 *      "summary": [{"n", "total", "mean", "spread", "min", "max"}],
 *      "times": [seconds since the start], "values": [[of each column]],
 *      "schedule": what was recorded (run/schedule_text.h),
 *      "sampled": {"rate", "samples", "lost", "complete"}}
 *
 * where the last two are there once a run of their kind has ended, and what is not known is null.
 */

#include "run/recording.h"

#define RUN_IMPORTED_BYTES ((size_t)4 * 1024 * 1024) /* no run that is imported is longer */

/* Appends the object, with times and values or without them. 0 or -ENOMEM. */
int recording_append_json(const struct recording *recording, bool with_rows, struct text *text);

/* Appends {"times": […], "values": […]} of the rows from `first` on. */
void recording_append_rows(const struct recording *recording, size_t first, struct text *text);

/* Appends a line of names, and a line for each row. */
void recording_append_csv(const struct recording *recording, struct text *text);

/*
 * Appends both, and of each column that both have mean and spread in each, and the change from a to
 * b as a share of a: {"a": …, "b": …, "columns": [{"name", "unit", "kind", "a": {"mean", …}, "b":
 * {…}, "change": 0.1}]}. 0; -EINVAL, with words for people: they have no column in common; -ENOMEM.
 */
int recording_append_comparison(const struct recording *a, const struct recording *b,
                                struct text *text);

/* Reads a run without its rows, as it was written. 0; -EBADMSG: it is none; -ENOMEM. */
int recording_read_head(const char *json, struct recording **ret_recording);

/*
 * Parses a finished run that somebody else has counted: title, target, columns, times and values,
 * and if they like notes, command, events, start and interval_seconds. 0; -EINVAL with words for
 * people; -ENOMEM.
 */
int recording_parse_imported(const char *body, size_t length, struct recording **ret_recording,
                             struct text *ret_message);
