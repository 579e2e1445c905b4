/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Recordings of runs: the thread of runs opens events that call the sampler's program, and the
 * profiler's thread, which alone works with the sampler, takes what they sample. There is one
 * recording at a time.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "profile/sampler.h"
#include "sys/sampling_ops.h"

struct profile_recorder;

/* NULL: no memory, or no descriptors. */
struct profile_recorder *profile_recorder_new(void);
struct profile_recorder *profile_recorder_free(struct profile_recorder *recorder);

/*
 * Begins a recording; waits until the profiler's thread has done so. 0, and *ret_programs are the
 * programs that events are to call, which the caller closes; -EBUSY or -EAGAIN, with words for
 * people; -ENOMEM.
 */
int profile_recorder_begin(struct profile_recorder *recorder, const struct profile_recording *how,
                           struct sampling_programs *ret_programs, struct text *ret_message);

/* The profiler's thread could not be started: nothing will be recorded. */
void profile_recorder_has_no_thread(struct profile_recorder *recorder);

/* No more samples come. at_once: nobody waits for those that need something first. */
void profile_recorder_finish(struct profile_recorder *recorder, bool at_once);

/*
 * What has become of it, after profile_recorder_finish(). 0: it is over; -EAGAIN: not yet; other
 * -errno: it is over, and nothing has come of it.
 */
int profile_recorder_take(struct profile_recorder *recorder, struct sampler_recorded *ret_recorded);

/* Gives up a recording whose run has not come about, or that nobody wants any more. */
void profile_recorder_drop(struct profile_recorder *recorder);

/* For the profiler's thread. The descriptor becomes readable when there is something to do. */
int profile_recorder_fd(const struct profile_recorder *recorder);

/* sampler: NULL: nothing is sampled; then `reason` says why. Call it after each turn. */
void profile_recorder_serve(struct profile_recorder *recorder, struct sampler *sampler,
                            size_t most_nodes, const char *reason);

/* The sampler is about to end: so does what it records. */
void profile_recorder_cut(struct profile_recorder *recorder, struct sampler *sampler);
