/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Runs that go on (run/session.h): a thread opens their counters and reads them, so that neither a
 * cycle nor the server waits for that. The historian keeps them. Any thread may call what stands
 * here, but for runs_new(), runs_stop() and runs_free(), which are the owner's.
 */

#include "cycle/collector.h"
#include "history/history.h"
#include "metric/snapshot.h"
#include "run/recording.h"
#include "run/request.h"
#include "service/profile_recorder.h"
#include "web/deferred.h"
#include "web/server.h"

#define RUNS_AT_ONCE 4

struct runs;

/* All of it is borrowed, and outlives the runs. */
struct runs_setup {
    struct history *history;           /* NULL: nothing can be kept, and so nothing is counted */
    struct snapshot_slot *slot;        /* tells what the collector takes of the PMU */
    struct profile_recorder *recorder; /* for runs of kind `record` */
    const char *sysfs, *procfs;
    const char *cgroupfs; /* NULL: the list of mounts tells */
};

/* Starts the thread. 0 or -errno. */
int runs_new(const struct runs_setup *setup, struct runs **ret_runs);

/* Ends what goes on, in order, and the thread; after it no history_submit() is made. */
void runs_stop(struct runs *runs);

/* To be called after history_free(), whose last tasks know the runs. */
struct runs *runs_free(struct runs *runs);

/* Whose streams have news when something was counted; NULL: nobody's any more. */
void runs_set_server(struct runs *runs, struct http_server *server);

/*
 * limits.pmu_counters and limits.schedule_ring of the configuration, and how many descriptors all
 * counters may take.
 */
void runs_set_limits(struct runs *runs, uint64_t pmu_counters, uint64_t schedule_ring,
                     size_t descriptors);

/* How many descriptors runs have open, so that targets leave them to runs. */
size_t runs_descriptors(struct runs *runs);

/* A pause begins or ends: groups on hardware stop until it is over. */
void runs_set_paused(struct runs *runs, bool is_paused);

/*
 * A descriptor that is readable when a run waits to be told which processes a group has, for
 * runs_find_processes(), which the thread of the collector calls. Borrowed.
 */
int runs_named_fd(const struct runs *runs);
void runs_find_processes(struct runs *runs, struct collector *collector);

/*
 * Begins a run; takes the request over. 0, and the answer is on its way: the run, or why there is
 * none; or what `ask` of a route returns: -EBUSY, -EPERM.
 */
int runs_begin(struct runs *runs, struct run_request *request, struct deferred *answer,
               struct text *text);

/* Ends the run of this number, if it goes on. is_unwanted: it is not to be kept, either. */
void runs_end(struct runs *runs, uint64_t id, bool is_unwanted);

/* A copy of a run that goes on or is about to be kept. NULL: there is none; or no memory. */
struct recording *runs_copy(struct runs *runs, uint64_t id, bool with_rows);

/* Tells that there is a run of this number, which the historian keeps. */
void runs_note(struct runs *runs, uint64_t id);

/* Gives a run that goes on other names; NULL: they stay. */
void runs_rename(struct runs *runs, uint64_t id, const struct run_rename *rename);

/*
 * Writes the events of a stream that stands at the cursor: `points` with what was counted since,
 * `end` once at the end, which is all of a run that has ended, also of one that was deleted since
 * the program began. -ENOENT: no run of this number is known.
 */
int runs_stream(struct runs *runs, uint64_t id, uint64_t *cursor, struct text *text);
