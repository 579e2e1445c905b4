/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The past of what is counted. One thread, the historian, owns the databases (history_store.h) and
 * whatever may wait for a disk. Nobody waits for it: snapshots and tasks come to it by queues that
 * are bounded, and what finds no room is dropped and counted, or refused.
 */

#include "history/history_status.h"
#include "history/history_store.h"
#include "metric/snapshot.h"

/* How much is kept, and for how long. Times are in nanoseconds. */
struct history_limits {
    uint64_t full_ns;        /* each snapshot is kept for this long */
    uint64_t ten_seconds_ns; /* then one in ten seconds, up to this age */
    uint64_t minutes_ns;     /* then one in a minute, up to this age */
    uint64_t bytes;          /* of the database; the oldest is thinned out first */
    uint64_t memory_bytes;   /* the same where it is in memory; 0: HISTORY_MEMORY_BYTES */
};

struct history_options {
    /* A directory, which is made if it is missing. NULL: the past is kept in memory only. */
    const char *directory;
    struct history_limits limits;
};

/* In memory no more than this is kept, whatever the limit says. */
#define HISTORY_MEMORY_BYTES ((uint64_t)16 * 1024 * 1024)

struct history;

/*
 * Starts the historian. A database that cannot be used does not keep it from starting: it keeps the
 * past in memory, and the status says why. 0, or -errno: there is no memory or no thread.
 */
int history_new(const struct history_options *options, struct history **ret_history);

/* Runs the tasks that wait, writes what is not written, and ends the thread. */
struct history *history_free(struct history *history);
DEFINE_AUTO(history, struct history *, history_free)

/*
 * Records a snapshot, of which it takes a reference. NULL as history: nothing happens. Snapshots
 * are recorded in the order of taken_ns. It never waits.
 */
void history_record(struct history *history, struct snapshot *snapshot);

/*
 * Has the historian call task(store, context) soon, on its thread; once, also if the history is
 * freed before. -EBUSY: too many tasks wait; -EOPNOTSUPP: `history` is NULL, since no history is
 * kept. Then the task is not called. It never waits.
 */
typedef void history_task(struct history_store *store, void *context);
int history_submit(struct history *history, history_task *task, void *context);

/* Other limits hold from now on, after a reload. */
void history_set_limits(struct history *history, const struct history_limits *limits);

/* How it stands, as the historian last wrote it down. It never waits for a disk. */
void history_get_status(struct history *history, struct history_status *ret_status);
