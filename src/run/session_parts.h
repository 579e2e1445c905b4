/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a run holds while it goes on: session_open.c makes it, session.c reads it. */

#include "base/clock.h"
#include "run/figures.h"
#include "run/ratios.h"
#include "run/schedule_session.h"
#include "run/session.h"

/* How often we look whether the target is still there. */
#define LOOK_NS (NS_PER_SECOND / 4)

/* How often the ring of a run of kind `schedule` is read. */
#define RING_NS (NS_PER_SECOND / 100)

struct run_session {
    struct run_machine machine;
    struct mechanism *mechanism;
    struct run_wish wish;
    struct run_events events;
    struct run_uncores uncores;
    struct run_target target;
    struct run_ratios ratios;
    struct recording *recording;
    struct schedule_session *schedule; /* of a run of kind `schedule`, which has no counters */
    struct figure *figures;            /* of each event, in this interval */
    struct figure *spans;              /* of each event, its times over the whole run */
    size_t *columns;                   /* of each event; SIZE_MAX: it has none */
    pid_t *tasks;                      /* of the wish */
    char *place;                       /* of the wish */
    size_t n_counters;
    uint64_t start_ns, next_ns, end_ns, look_ns; /* CLOCK_MONOTONIC */
    uint64_t row_ns;                             /* of a run of kind `schedule`: the next row */
};
