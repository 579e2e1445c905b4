/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A recording ends in steps. When its events are closed, a turn takes their last samples out of the
 * ring; some of these wait for files to be read. When none waits any more, the functions that have
 * no name yet are named before all others. Whatever hangs, it is over after a while.
 */
#include "profile/sampler.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "profile/sampler_parts.h"

#define PATIENCE_NS (SAMPLER_PATIENCE_NS + 2 * NS_PER_SECOND)

int sampler_begin_recording(struct sampler *sampler, const struct profile_recording *how,
                            size_t most_nodes)
{
    struct sampler_recording *recording = &sampler->recording;

    if (recording->recorded)
        return -EBUSY;
    *recording = (struct sampler_recording){
        .recorded = recorded_new(sampler->setup.store, most_nodes),
        .since_ns = clock_monotonic_ns(),
        .lost_before = profile_program_figures(sampler->program).recorded_lost};
    if (!recording->recorded)
        return -ENOMEM;
    profile_program_begin_recording(sampler->program, how);
    return 0;
}

int sampler_recorder_fd(const struct sampler *sampler, bool is_of_software)
{
    return profile_program_recorder_fd(sampler->program, is_of_software);
}

static bool is_of_this(const struct sampler *sampler, const struct profile_sample *sample)
{
    const struct sampler_recording *recording = &sampler->recording;

    return recording->recorded && sample->period > 0 && sample->time_ns >= recording->since_ns;
}

bool sampler_record(struct sampler *sampler, const struct profile_sample *sample, bool is_last,
                    uint64_t now_ns)
{
    struct profile_stack whole;
    struct stack stack;

    if (!is_of_this(sampler, sample))
        return true; /* the one that it belongs to is over */
    if (!stack_make(&sampler->names, sample, is_last, now_ns, &stack))
        return false;
    whole = (struct profile_stack){stack.functions, stack.n, stack.place};
    recorded_add(sampler->recording.recorded, &whole, sample->period);
    sampler->recording.stacks[sample->outcome]++;
    return true;
}

/* Adds those that wait, with what is known now. They stay in the list, and will find that it is
 * over. */
static void record_waiting(struct sampler *sampler)
{
    const uint64_t now_ns = clock_monotonic_ns();

    for (size_t at = 0; at < sampler->waiting.n_bytes;)
        (void)sampler_record(sampler, sample_list_next(&sampler->waiting, &at), true, now_ns);
}

static bool has_waiting(const struct sampler *sampler)
{
    for (size_t at = 0; at < sampler->waiting.n_bytes;)
        if (is_of_this(sampler, sample_list_next(&sampler->waiting, &at)))
            return true;
    return false;
}

/* Has its functions named before all others. Without memory they are named when it is their turn.
 */
static void hurry(struct sampler *sampler)
{
    size_t n;
    AUTO_FREE bool *functions = recorded_functions(sampler->recording.recorded, &n);

    known_files_hurry(sampler->files, functions, n);
    sampler->recording.hurries = true;
}

/* Whether all samples are in, and their functions have the names that they will have. */
static bool is_settled(struct sampler *sampler)
{
    struct sampler_recording *recording = &sampler->recording;

    if (sampler->read_ns <= recording->until_ns || has_waiting(sampler))
        return false;
    if (!recording->hurries)
        hurry(sampler);
    return !known_files_is_hurried(sampler->files);
}

/* Makes of it what it comes to; samples that still wait for something do so no longer. */
static int finish(struct sampler *sampler, struct sampler_recorded *ret_recorded)
{
    struct sampler_recording *recording = &sampler->recording;
    int r;

    record_waiting(sampler);
    *ret_recorded = (struct sampler_recorded){
        .samples = recorded_samples(recording->recorded),
        .lost = profile_program_figures(sampler->program).recorded_lost - recording->lost_before};
    memcpy(ret_recorded->stacks, recording->stacks, sizeof(recording->stacks));
    r = recorded_tree(recording->recorded, &ret_recorded->tree);
    recording->recorded = recorded_free(recording->recorded);
    return r;
}

int sampler_cut_recording(struct sampler *sampler, struct sampler_recorded *ret_recorded)
{
    if (!sampler->recording.recorded)
        return -ENOENT;
    return finish(sampler, ret_recorded);
}

int sampler_end_recording(struct sampler *sampler, struct sampler_recorded *ret_recorded)
{
    struct sampler_recording *recording = &sampler->recording;
    const uint64_t now_ns = clock_monotonic_ns();

    if (!recording->recorded)
        return -ENOENT;
    if (recording->until_ns == 0)
        recording->until_ns = now_ns;
    if (!is_settled(sampler) && now_ns < recording->until_ns + PATIENCE_NS)
        return -EAGAIN;
    return finish(sampler, ret_recorded);
}
