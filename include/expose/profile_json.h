/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes profiles as JSON for the page and for pmutool, as columns: an array of each number of all
 * nodes, which is less than half of what objects would take. Times are seconds. Functions are
 * "kind" ("user", "kernel", "jit", "note"), "owner" and "name"; "function" is a place in these
 * arrays, and "parent" one in those of nodes; both are -1 for the root, which is node 0. A parent
 * stands before its children.
 */

#include <stdbool.h>

#include "base/text.h"
#include "profile/difference.h"
#include "profile/seconds.h"
#include "profile/tree.h"

/*
 * {"from", "to", "rate" (null: of several rates), "samples", "event": null, "cpu_seconds",
 * "pruned", "nodes": {"parent": […], "function": […], "self": […], "total": […]}, "functions":
 * {"kind": […], "owner": […], "name": […]}}
 *
 * Of a recording of another event than CPU time "event" is its name, and instead of seconds there
 * are numbers of events: "events", "self_events" and "total_events".
 *
 * is_pruned: some nodes stand for several small ones (profile_tree_prune()). Each of these appends
 * to a text. 0 or -ENOMEM.
 */
int profile_json_write(const struct profile_tree *tree, bool is_pruned, struct text *text);

/*
 * The first `most` rows of the table of functions, which is made here. "rows" is how many there are
 * in all:
 *
 * {"from", "to", "rate", "samples", "cpu_seconds", "rows",
 *  "table": {"kind", "owner", "name", "self", "total", "self_seconds", "total_seconds"}}
 */
int profile_json_write_table(const struct profile_tree *tree, size_t most, struct text *text);

/*
 * {"measure": "shares" or "time", "bound",
 *  "before": {"from", "to", "samples", "cpu_seconds"}, "after": {…},
 *  "nodes": {"parent", "function", "self_before", "self_after", "total_before", "total_after",
 *            "change", "sigma", "differs"},
 *  "functions": {…},
 *  "table": {"function", "self_before", "self_after", "total_before", "total_after", "change",
 *            "sigma", "differs"}}
 *
 * "differs" is 0 or 1.
 */
int profile_json_write_difference(const struct difference *difference, struct text *text);

/*
 * {"from", "rate", "parts", "seconds", "samples": […]}
 *
 * "samples" has `parts` numbers for each of `seconds` seconds, one after the other.
 */
int profile_json_write_seconds(const struct profile_seconds *seconds, struct text *text);
