/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Decides whether bpf may go on if a kernel hides switches from it. bpf is left when more than
 * MOST_DOUBT of the CPUs' time was in doubt in each of two successive minutes, and tried again
 * after an hour. The functions take the time, by CLOCK_MONOTONIC in ns, and do nothing else.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOUBT_MINUTES       2
#define DOUBT_RETRY_MINUTES 60

struct doubt_watch {
    uint64_t begin_ns;        /* when the minute that is being looked at began */
    uint64_t unattributed_ns; /* how much time had been in doubt, in all, when that minute began */
    unsigned bad_minutes;     /* how many successive minutes were bad */
    bool reported;            /* That it is too much was returned for this mechanism. */
    double share;             /* in doubt in the last whole minute; NaN: there was none yet */
    uint64_t retry_ns;        /* when bpf is tried again; 0: it was not left */
};

/* Begins to watch a mechanism. unattributed_ns: the time that it had in doubt until now, in all. */
void doubt_watch_begin(struct doubt_watch *watch, uint64_t now_ns, uint64_t unattributed_ns);

/*
 * To be called after each cycle; n_cpus: on how many CPUs the mechanism counts. Returns true when
 * the second successive minute was bad, and only once for a mechanism: if bpf goes on all the same,
 * that is not to be reported again.
 */
bool doubt_watch_is_too_much(struct doubt_watch *watch, uint64_t now_ns, size_t n_cpus,
                             uint64_t unattributed_ns);

/*
 * The first notes that bpf was left. The second returns true once, when it is to be tried again.
 */
void doubt_watch_leave(struct doubt_watch *watch, uint64_t now_ns);
bool doubt_watch_wants_retry(struct doubt_watch *watch, uint64_t now_ns);
