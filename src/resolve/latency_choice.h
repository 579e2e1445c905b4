/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * By which mechanism latencies are counted. They need the program at each switch, whichever
 * mechanism counts events: where that is bpf it does both, else one is made for latencies alone.
 */

#include "resolve/mechanism_choice.h"

struct latency_choice {
    struct mechanism *mechanism;     /* NULL: latencies are not counted */
    bool is_own;                     /* it counts nothing else */
    struct switch_program_size size; /* of the mechanism */
    bool lacks_memory;               /* the reason is mechanism_lacks_memory() */
    const char *reason; /* why latencies that are wanted are not counted; else NULL. Static */
};

/*
 * Chooses. events: what mechanism_choose() has chosen for the same question. running: the mechanism
 * that counts latencies alone now, and its size; it is kept if it is large enough. A new one that
 * is_own is the caller's.
 */
struct latency_choice latency_choose(const struct mechanism_question *question,
                                     const struct mechanism_choice *events,
                                     struct mechanism *running,
                                     const struct switch_program_size *running_size);
