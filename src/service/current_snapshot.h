/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The snapshot that stands: whether it can be shown, and its targets as JSON. It is apart from the
 * page of the metrics, which knows the server and the history: `pmutool top` needs neither.
 */

#include <stdbool.h>

#include "expose/targets_json.h"
#include "metric/snapshot.h"

struct current_snapshot {
    struct snapshot_slot *slot; /* The slot is borrowed. */
    int procfs_fd;              /* The descriptor is borrowed. */
};

/* Returns the age from which on a snapshot is stale, for this time between cycles. */
uint64_t current_snapshot_stale_ns(uint64_t interval_ns);

/* Returns the time since the cycle of the snapshot ended. */
uint64_t current_snapshot_age_ns(const struct snapshot *snapshot);

/* Returns the snapshot's number for struct route, or 0 where there is none or it is stale. */
uint64_t current_snapshot_version(const struct current_snapshot *current);

/* Whether a snapshot is too old to be shown. */
bool current_snapshot_is_stale(const struct snapshot *snapshot);

/* Takes the current snapshot for the caller. Without one the text says so: -EAGAIN. */
int current_snapshot_take(const struct current_snapshot *current, struct text *text,
                          struct snapshot **ret_snapshot);

/* Writes a snapshot, or what is chosen of it, as JSON (expose/targets_json.h). 0 or -ENOMEM. */
int current_snapshot_write_targets(const struct current_snapshot *current,
                                   const struct snapshot *snapshot,
                                   const struct targets_selection *selection, struct text *text);

/* Returns why the exporter is not ready, in a few static words; NULL: it is ready. */
const char *current_snapshot_not_ready(const struct current_snapshot *current);
