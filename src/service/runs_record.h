/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a run of kind `record` has beside others: a mechanism whose events sample, and the sampler,
 * which keeps their samples (profile_recorder.h). It all belongs to the thread of runs.
 */

#include "count/mechanism.h"
#include "run/recording.h"
#include "service/profile_recorder.h"

struct run_record;

/*
 * Has the sampler begin. 0; -errno with words for people: nothing can be recorded now.
 * recorder: borrowed.
 */
int run_record_begin(struct profile_recorder *recorder, const struct profile_recording *how,
                     struct run_record **ret_record, struct text *ret_message);

/* What samples: to be used, and freed, by nobody else. */
struct mechanism *run_record_mechanism(struct run_record *record);

/* Its events are closed: the last samples are waited for, though not for ever. */
void run_record_finish(struct run_record *record);

/*
 * Takes what was sampled over to the recording; is_stopping: soon there will be nobody to wait for.
 * False: it is not complete yet, and is to be asked for again after RUN_RECORD_LOOK_NS. Where
 * nothing has come of it, the recording stays without samples.
 */
bool run_record_take(struct run_record *record, bool is_stopping, struct recording *recording);

#define RUN_RECORD_LOOK_NS UINT64_C(50000000)

/* Gives up what is not taken. NULL is taken, and returned. */
struct run_record *run_record_free(struct run_record *record);
