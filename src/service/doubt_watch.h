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
    uint64_t begin_ns;        /* The minute that is being looked at began at this time. */
    uint64_t unattributed_ns; /* Time that was in doubt, in all, when the current minute began. */
    unsigned bad_minutes;     /* So many successive minutes were bad. */
    bool reported;            /* That too much is in doubt was returned for this mechanism. */
    double share;      /* Share of time in doubt in the last whole minute; NaN: none is over yet. */
    uint64_t retry_ns; /* bpf is tried again at this time; 0: it was not left. */
};

/* Begins to watch a mechanism. unattributed_ns is the time that was in doubt until now, in all. */
void doubt_watch_begin(struct doubt_watch *watch, uint64_t now_ns, uint64_t unattributed_ns);

/*
 * Looks at the minute that has ended, if one has; it is called after each cycle. The mechanism
 * counts on n_cpus CPUs. Returns true when the second successive minute was bad, and only once for
 * a mechanism: if bpf goes on all the same, that is not to be reported again.
 */
bool doubt_watch_is_too_much(struct doubt_watch *watch, uint64_t now_ns, size_t n_cpus,
                             uint64_t unattributed_ns);

/*
 * The first function notes that bpf was left. The second returns true once, when bpf is to be tried
 * again.
 */
void doubt_watch_leave(struct doubt_watch *watch, uint64_t now_ns);
bool doubt_watch_wants_retry(struct doubt_watch *watch, uint64_t now_ns);
