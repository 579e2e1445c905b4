/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a turn does with the samples that it has taken, when it has looked at their processes: it
 * makes stacks of functions of them, and adds these to the store.
 */
#include "profile/sampler_parts.h"

#include "base/clock.h"

#define WAITING_BYTES ((size_t)2 * 1024 * 1024)
#define LOST_STEPS    100
#define LOST_MOST     1000000

/* Whose sample it is, and its stack, by numbers of the store. */
struct placed_sample {
    uint32_t cgroup, group;
    struct stack stack;
};

static bool place(struct sampler *sampler, const struct profile_sample *sample, bool is_last,
                  uint64_t now_ns, struct placed_sample *ret_placed)
{
    profile_targets_find(sampler->setup.targets, sampler->setup.store, sample->cgroup,
                         sample->process, &ret_placed->cgroup, &ret_placed->group);
    return stack_make(&sampler->names, sample, is_last, now_ns, &ret_placed->stack);
}

static void add(struct profile_store *store, uint32_t target, uint64_t time_ns,
                const struct stack *stack)
{
    const struct profile_stack whole = {stack->functions, stack->n, stack->place};

    profile_store_add(store, target, time_ns, &whole);
}

/*
 * Adds a sample to the store. False: it has to wait. The store may give numbers to others to make
 * room: then they are found anew.
 */
static bool keep(struct sampler *sampler, const struct profile_sample *sample, bool is_last,
                 uint64_t now_ns, uint64_t time_ns)
{
    struct profile_store *store = sampler->setup.store;
    const uint64_t generation = profile_store_generation(store);
    struct placed_sample placed;

    if (sample->period > 0)
        return sampler_record(sampler, sample, is_last, now_ns);
    if (!place(sampler, sample, is_last, now_ns, &placed))
        return false;
    add(store, placed.cgroup, time_ns, &placed.stack);
    if (generation != profile_store_generation(store))
        (void)place(sampler, sample, true, now_ns, &placed);
    if (placed.group != UINT32_MAX)
        add(store, placed.group, time_ns, &placed.stack);
    profile_targets_count(sampler->setup.targets, sample->cgroup, sample->process);
    sampler->samples++;
    sampler->stacks[sample->outcome]++;
    return true;
}

/* Makes stacks of samples; those that need something first stay in the list `later`. */
static void process(struct sampler *sampler, const struct sample_list *list,
                    struct sample_list *later, uint64_t now_ns)
{
    const uint64_t offset_ns = clock_realtime_ns() - clock_monotonic_ns();

    for (size_t at = 0; at < list->n_bytes;) {
        const struct profile_sample *sample = sample_list_next(list, &at);
        const bool is_last =
            now_ns > sample->time_ns + SAMPLER_PATIENCE_NS || later->n_bytes > WAITING_BYTES;
        const uint64_t time_ns = sample->time_ns + offset_ns;

        if (!keep(sampler, sample, is_last, now_ns, time_ns) && sample_list_add(later, sample) < 0)
            (void)keep(sampler, sample, true, now_ns, time_ns);
    }
}

static bool is_late(const struct sampler *sampler, uint64_t now_ns)
{
    size_t at = 0;

    return sampler->waiting.n_bytes > 0 &&
           now_ns > sample_list_next(&sampler->waiting, &at)->time_ns + SAMPLER_PATIENCE_NS;
}

/* Tries again those that wait, when something was read. */
static void process_waiting(struct sampler *sampler, uint64_t now_ns)
{
    struct sample_list before = sampler->waiting;

    if (!sampler->has_news && !is_late(sampler, now_ns))
        return;
    sampler->has_news = false;
    sampler->waiting = (struct sample_list){0};
    process(sampler, &before, &sampler->waiting, now_ns);
    sample_list_done(&before);
}

static void keep_lost_at(struct sampler *sampler, const struct profile_target_numbers *whose,
                         uint64_t n, uint64_t time_ns)
{
    const struct profile_sample sample = {
        .cgroup = whose->cgroup, .process = whose->process, .outcome = PROFILE_LOST};

    for (; n > 0; n--)
        (void)keep(sampler, &sample, true, sampler->read_ns, time_ns);
}

/* Evenly from the first to the last of them, which is nearer to the truth than at one time. */
static void keep_lost_of(struct sampler *sampler, const struct profile_lost *lost, uint64_t now_ns)
{
    const struct profile_loss *loss = &lost->loss;
    const uint64_t offset_ns = clock_realtime_ns() - clock_monotonic_ns();
    const uint64_t first_ns = loss->first_ns ? loss->first_ns : now_ns;
    const uint64_t span_ns = loss->last_ns > first_ns ? loss->last_ns - first_ns : 0;

    for (uint64_t step = 0; step < LOST_STEPS; step++)
        keep_lost_at(sampler, &lost->whose,
                     loss->n * (step + 1) / LOST_STEPS - loss->n * step / LOST_STEPS,
                     offset_ns + first_ns + span_ns * step / LOST_STEPS);
}

/* No more than LOST_MOST, which takes half a second: all of them are in the figures. */
static void keep_lost(struct sampler *sampler, uint64_t now_ns)
{
    struct profile_lost *lost = sampler->lost;
    const size_t n = profile_program_read_lost(sampler->program, lost);
    uint64_t left = LOST_MOST;

    for (size_t i = 0; i < n; i++) {
        if (lost[i].loss.n > left)
            lost[i].loss.n = left;
        left -= lost[i].loss.n;
        keep_lost_of(sampler, &lost[i], now_ns);
    }
}

void sampler_process(struct sampler *sampler, uint64_t now_ns)
{
    process_waiting(sampler, now_ns);
    process(sampler, &sampler->taken, &sampler->waiting, now_ns);
    keep_lost(sampler, now_ns);
    changed_processes_forget(sampler->changed);
}
