/* SPDX-License-Identifier: Apache-2.0 */
#include "service/runs_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "profile/tree_pack.h"
#include "sys/sampling_ops.h"

/* The sampler itself waits for less long; it may have ended, or be busy. */
#define PATIENCE_NS      (30 * NS_PER_SECOND)
#define LAST_PATIENCE_NS (NS_PER_SECOND / 2) /* when the program is about to end */

struct run_record {
    struct profile_recorder *recorder;
    struct sampling_ops sampling;
    struct mechanism *mechanism;
    struct sampling_programs programs; /* owned */
    uint64_t give_up_ns;               /* CLOCK_MONOTONIC */
    bool is_taken, is_stopping;
};

int run_record_begin(struct profile_recorder *recorder, const struct profile_recording *how,
                     struct run_record **ret_record, struct text *ret_message)
{
    struct run_record *record = calloc(1, sizeof(*record));
    int r;

    if (!record)
        return -ENOMEM;
    r = profile_recorder_begin(recorder, how, &record->programs, ret_message);
    if (r < 0) {
        free(record);
        return r;
    }
    record->recorder = recorder;
    sampling_ops_init(&record->sampling, &record->programs, how->rate_hz);
    record->mechanism = mechanism_direct_new(&record->sampling.ops);
    if (!record->mechanism) {
        (void)run_record_free(record);
        return -ENOMEM;
    }
    *ret_record = record;
    return 0;
}

struct mechanism *run_record_mechanism(struct run_record *record)
{
    return record->mechanism;
}

void run_record_finish(struct run_record *record)
{
    record->give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    profile_recorder_finish(record->recorder, false);
}

/* The program is about to end: what is known now is all there will be. */
static void hurry(struct run_record *record)
{
    record->is_stopping = true;
    record->give_up_ns = clock_monotonic_ns() + LAST_PATIENCE_NS;
    profile_recorder_finish(record->recorder, true);
}

/* The events of clocks are nanoseconds: what they sample is CPU time. */
static bool is_of_time(const struct recording *recording)
{
    return strcmp(recording->columns[0].unit, "seconds") == 0;
}

/* There is one event, and it is counted: else the run would not have come about. */
static int describe(const struct recording *recording, struct profile_tree *tree)
{
    tree->from_ns = recording->start_realtime_ns;
    tree->to_ns = recording->end_realtime_ns;
    if (is_of_time(recording)) {
        tree->rate_hz = recording->rate_hz;
        return 0;
    }
    tree->event = strdup(recording->events[0].name);
    return tree->event ? 0 : -ENOMEM;
}

/* Without memory the recording stays without samples. */
static void give(struct recording *recording, const struct sampler_recorded *recorded)
{
    AUTO_TEXT struct text bytes = {0};

    if (describe(recording, recorded->tree) < 0 || profile_tree_pack(recorded->tree, &bytes) < 0)
        return;
    recording->samples = run_samples_new(bytes.data, bytes.length);
    if (!recording->samples)
        return;
    recording->samples->taken = recorded->samples;
    recording->samples->lost = recorded->lost;
    recording->samples->complete = recorded->stacks[PROFILE_COMPLETE];
}

bool run_record_take(struct run_record *record, bool is_stopping, struct recording *recording)
{
    struct sampler_recorded recorded = {0};
    int r;

    if (is_stopping && !record->is_stopping)
        hurry(record);
    r = profile_recorder_take(record->recorder, &recorded);
    if (r == -EAGAIN && clock_monotonic_ns() < record->give_up_ns)
        return false;
    record->is_taken = r != -EAGAIN;
    if (r == 0)
        give(recording, &recorded);
    (void)profile_tree_free(recorded.tree);
    return true;
}

struct run_record *run_record_free(struct run_record *record)
{
    if (!record)
        return NULL;
    if (!record->is_taken)
        profile_recorder_drop(record->recorder);
    (void)mechanism_free(record->mechanism);
    (void)close(record->programs.fd);
    (void)close(record->programs.software_fd);
    free(record);
    return NULL;
}
