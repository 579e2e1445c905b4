/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of the runs share. */

#include <pthread.h>

#include "run/session.h"
#include "service/run_numbers.h"
#include "service/runs.h"
#include "service/runs_record.h"

enum run_slot_state {
    SLOT_FREE,
    SLOT_NAMED,   /* the request waits for the collector's thread, which alone works on it */
    SLOT_ASKED,   /* the request waits for the thread, which alone works on it */
    SLOT_OPEN,    /* it counts */
    SLOT_SETTLES, /* it has ended, and waits for what was sampled; others see it as going on */
    SLOT_OVER,    /* it has ended, and is about to be kept */
    SLOT_KEPT,    /* it is kept, and as good as free: streams still show the last of it */
};

/* Everything is guarded by the lock, but for the request and the answer of SLOT_NAMED and
 * SLOT_ASKED. */
struct run_slot {
    struct runs *runs;
    enum run_slot_state state;
    uint64_t id; /* 0: the historian has not given one yet */
    struct run_request request;
    struct deferred *answer;
    pid_t *processes; /* of a request for a group of processes: those that it has */
    size_t n_processes;
    struct run_session *session; /* of SLOT_OPEN */
    struct pmu_list *pmus;       /* of the session */
    struct run_record *record;   /* of a run of kind `record` from its opening to SLOT_OVER */
    struct recording *recording; /* of SLOT_SETTLES and what follows */
    enum run_state ended_as;     /* of SLOT_SETTLES: what its state will be */
    uint64_t kept_ns;            /* CLOCK_MONOTONIC until which it is SLOT_KEPT */
    bool is_submitted;           /* the historian has it */
    bool is_unwanted;            /* it was deleted, or could not be kept: it ends */
    enum run_state wanted;       /* somebody wants it to end so; RUN_GOES_ON: nobody does */
};

/* For so long streams can be told the last of a run that is over. */
#define RUN_LINGER_NS UINT64_C(2000000000)

#define RUNS_ARE_FULL "too many runs are kept, or they are too large: expected some to be deleted"

struct runs {
    struct runs_setup setup;
    pthread_t thread;
    bool has_thread;
    int wake_fd;  /* an eventfd: something is to be done */
    int named_fd; /* the same for the collector's thread: runs_find_processes() */
    int sysfs_fd, procfs_fd;
    struct mechanism *mechanism; /* the thread's */

    pthread_mutex_t lock;
    struct http_server *server;
    uint64_t pmu_counters, schedule_ring;
    size_t descriptors; /* that runs and targets may have open together */
    size_t held;        /* that runs have open */
    bool is_paused, is_stopping;
    struct run_numbers numbers; /* of runs that have begun here, or that the historian keeps */
    struct run_slot slots[RUNS_AT_ONCE];
};

/* What the thread does; the context is the runs. */
void *runs_work(void *context);

/* What a slot has counted. NULL: nothing yet. The lock is held. */
static inline struct recording *run_slot_recording(const struct run_slot *slot)
{
    return slot->session ? run_session_recording(slot->session) : slot->recording;
}

/* Has the historian keep a run that has just begun, and then answer who asked for it. */
int runs_keep_new(struct run_slot *slot);

/* Has the historian keep a run that is over; the slot is free then. */
int runs_keep_ended(struct run_slot *slot);

/* What is kept of a recording. The texts are owned by *ret_run. 0 or -ENOMEM. */
int runs_describe(const struct recording *recording, bool with_rows, struct history_run *ret_run);
void runs_description_done(struct history_run *run);
