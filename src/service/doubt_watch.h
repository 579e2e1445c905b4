/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Whether bpf may go on where a kernel keeps switches to itself: it is left when more than
 * MOST_DOUBT of the CPUs' time was in doubt in two minutes running, and tried again after an hour.
 * Pure: times are given, CLOCK_MONOTONIC in ns.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOUBT_MINUTES       2
#define DOUBT_RETRY_MINUTES 60

struct doubt_watch {
    uint64_t begin_ns;        /* of the minute that is being looked at */
    uint64_t unattributed_ns; /* in all, when it began */
    unsigned bad_minutes;     /* running */
    bool told;                /* that it was too much */
    double share;             /* in doubt in the last whole minute; NaN: there was none yet */
    uint64_t retry_ns;        /* when bpf is tried again; 0: it was not left */
};

/* A mechanism begins, or another one: it has had so much in doubt until now. */
void doubt_watch_begin(struct doubt_watch *watch, uint64_t now_ns, uint64_t unattributed_ns);

/*
 * After each cycle: n_cpus have counted. True: this was the second minute that was too bad. Once:
 * where bpf goes on all the same nothing is told again of the same mechanism.
 */
bool doubt_watch_is_too_much(struct doubt_watch *watch, uint64_t now_ns, size_t n_cpus,
                             uint64_t unattributed_ns);

/* What was left is tried again after this; true once, when that is so. */
void doubt_watch_leave(struct doubt_watch *watch, uint64_t now_ns);
bool doubt_watch_wants_retry(struct doubt_watch *watch, uint64_t now_ns);
