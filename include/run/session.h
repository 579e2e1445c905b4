/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A run while it goes on: the counters of one target, which are read at intervals into a recording,
 * or what the scheduler does with its threads, which is read from a ring. It belongs to one thread
 * at a time.
 */

#include "resolve/spare_counters.h"
#include "run/recording.h"
#include "run/request.h"
#include "run/target.h"

/* What a session needs of who has it. All of it is borrowed for the call alone. */
struct run_setup {
    struct run_machine
        machine; /* its descriptors and its list are borrowed for the session's life */
    struct mechanism *mechanism; /* for the session's life: it opens, and knows of a pause */
    struct spare_counters spare; /* which of a CPU's counters it may take */
    const struct exporter_status *status; /* what the collector says; NULL: nothing yet */
    const char *over_budget; /* what people are told of events for which none is left */
    const pid_t *processes;  /* of RUN_OF_PROCESSES: those that are in it now */
    size_t n_processes;
    size_t ring_bytes; /* the ring of a run of kind `schedule` */
};

struct run_session;

/*
 * Finds what was asked for, and opens it: it counts from here on. Events that cannot be counted are
 * left out, and the recording tells why. 0; -EINVAL with words for people: a name is unknown, there
 * is no such target, or nothing of it can be counted; -ENOENT: the target has gone; -ENOMEM; other
 * -errno, with words for people.
 */
int run_session_open(const struct run_request *request, const struct run_setup *setup,
                     struct run_session **ret_session, struct text *ret_message);

/* Closes everything. */
struct run_session *run_session_free(struct run_session *session);
DEFINE_AUTO(run_session, struct run_session *, run_session_free)

/* What it has counted up to now. Its owner may take it, and then free it. */
struct recording *run_session_recording(struct run_session *session);
struct recording *run_session_take_recording(struct run_session *session);

/* How many of a CPU's counters it holds. */
size_t run_session_counters(const struct run_session *session);

/* CLOCK_MONOTONIC of the next reading. */
uint64_t run_session_due_ns(const struct run_session *session);

/*
 * Reads the counters if it is time for it: a row more. Returns how the run stands; in a state other
 * than RUN_GOES_ON it has read a last time, and nothing of it is open any more.
 */
enum run_state run_session_turn(struct run_session *session, uint64_t now_ns);

/*
 * Ends the run before its time: reads a last time, and closes everything. If it is stopped when its
 * target has ended, its state is RUN_TARGET_GONE, too.
 */
void run_session_end(struct run_session *session, enum run_state state, uint64_t now_ns);

/* Follows a pause that has begun or ended (struct mechanism, `paused`). */
void run_session_follow_pause(struct run_session *session);
