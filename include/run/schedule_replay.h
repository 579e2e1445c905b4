/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Goes through a trace in the order of time, and tells with each event what has ended by it: how
 * long a thread had its CPU, how long another one waited for it and was blocked. Only threads of
 * the target are told of. What cannot be told, since records were lost or the kernel hid a switch,
 * is not told; it is never guessed.
 *
 * A thread waits from the wake-up (sched_waking, where perf sched timehist begins as well), or from
 * when it lost its CPU although it could have gone on, until it gets a CPU.
 */

#include "run/schedule_trace.h"

/* A thread had a CPU. */
struct schedule_slice {
    uint32_t thread;
    uint16_t cpu;
    uint64_t start_ns, end_ns;
};

/* A thread waited for a CPU, or was blocked. */
struct schedule_wait {
    uint32_t thread;
    uint32_t waker; /* SCHEDULE_NOBODY: it was preempted, or nobody is known */
    uint64_t start_ns, end_ns;
};

struct schedule_step {
    const struct schedule_event *event;
    bool has_slice;
    struct schedule_slice slice; /* of who leaves the CPU */
    bool has_wait;
    struct schedule_wait wait; /* of who comes */
    bool has_block;
    struct schedule_wait block; /* of who comes, until it was woken */
    bool is_gap; /* it was another thread that left the CPU than the one that was told to have it,
                    as one that came to the target while it ran, or records are missing before
                    this one */
};

struct schedule_replay;

struct schedule_replay *schedule_replay_new(const struct schedule_trace *trace);
struct schedule_replay *schedule_replay_free(struct schedule_replay *replay);
DEFINE_AUTO(schedule_replay, struct schedule_replay *, schedule_replay_free)

/* The next event; false: there is none. */
bool schedule_replay_next(struct schedule_replay *replay, struct schedule_step *ret_step);

/* After the last event: who has this CPU at the end of the trace; false: nobody of the target. */
bool schedule_replay_last(const struct schedule_replay *replay, size_t cpu,
                          struct schedule_slice *ret_slice);
