/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A stack is shown from its root. Where the program in the kernel did not reach the root, a note
 * stands in its place. Nothing is shown that is only likely: an address that leads to no code is
 * left out, and what belongs to a file that the process has unmapped since ends the stack.
 */
#include "profile/stack.h"

#include <stdio.h>
#include <string.h>

/* A stack while it is being made, from the leaf to the root. */
struct making {
    const struct stack_names *names;
    const struct profile_sample *sample;
    bool is_last;
    struct file_use use;
    uint32_t functions[STACK_MOST];
    size_t n;
    bool is_at_leaf; /* the frame that is added runs, and has called nothing */
    uint32_t place;  /* of the leaf */
};

static void add(struct making *making, uint32_t function)
{
    if (making->n < PROFILE_FRAMES_MOST)
        making->functions[making->n++] = function;
}

static const uint64_t *frames_of(const struct profile_sample *sample)
{
    return (const uint64_t *)(sample + 1);
}

static bool is_lost(const struct space_change *change, uint32_t file)
{
    if (change && change->n_lost > SPACE_LOST_MOST)
        return true;
    for (size_t i = 0; change && i < change->n_lost; i++)
        if (change->lost[i] == file)
            return true;
    return false;
}

void stack_cut(struct profile_sample *sample, const struct space_change *change)
{
    const uint64_t *user = frames_of(sample) + sample->n_kernel;

    for (size_t i = 0; change && i < sample->n_user; i++) {
        if (user[i] & PROFILE_FRAME_ADDRESS || !is_lost(change, (uint32_t)(user[i] >> 32)))
            continue;
        sample->n_cut = (uint16_t)(sample->n_user - i); /* the frames keep their room in lists */
        sample->outcome = PROFILE_CHANGED;
        return;
    }
}

/* A frame in a file. False: its tables are to be read first. */
static bool add_place(struct making *making, uint32_t file, uint32_t place)
{
    const struct stack_names *names = making->names;
    uint32_t function;

    if (!known_files_function(names->files, file, place, &making->use, &function)) {
        if (!making->is_last)
            return false;
        function = profile_store_function(names->store, PROFILE_USER,
                                          known_files_owner(names->files, file), "[unnamed]");
    }
    if (making->is_at_leaf)
        making->place = place;
    add(making, function);
    return true;
}

/* A frame that the program in the kernel could not place in a file. */
static bool add_address(struct making *making, uint64_t address)
{
    const struct stack_names *names = making->names;
    const struct profile_sample *sample = making->sample;
    uint32_t file, place, function;

    switch (address_spaces_find(names->spaces, (pid_t)sample->pid, sample->memory, address, &file,
                                &place)) {
    case SPACE_FILE:
        return add_place(making, file, place);
    case SPACE_ANONYMOUS:
        if (!jit_maps_function(names->jit,
                               &(struct jit_place){.pid = (pid_t)sample->pid,
                                                   .memory = sample->memory,
                                                   .address = address,
                                                   .time_ns = sample->time_ns},
                               making->use.now_ns, &function)) {
            if (!making->is_last)
                return false;
            function = profile_store_function(names->store, PROFILE_JIT, "[jit]", "[unnamed]");
        }
        add(making, function);
        return true;
    case SPACE_NOTHING:
    default:
        return true; /* no code is known there: it is left out */
    }
}

static bool add_user_frames(struct making *making)
{
    const struct profile_sample *sample = making->sample;
    const uint64_t *user = frames_of(sample) + sample->n_kernel;

    for (size_t i = 0; i + sample->n_cut < sample->n_user; i++) {
        const uint64_t frame = user[i];

        if (!(frame & PROFILE_FRAME_ADDRESS
                  ? add_address(making, frame & ~PROFILE_FRAME_ADDRESS)
                  : add_place(making, (uint32_t)(frame >> 32), (uint32_t)frame)))
            return false;
        making->is_at_leaf = false;
    }
    return true;
}

/* The file in which the walk ended. NULL: it was none. */
static const char *last_owner(const struct stack_names *names, const struct profile_sample *sample)
{
    const uint64_t frame =
        sample->n_user > 0 ? frames_of(sample)[sample->n_kernel + sample->n_user - 1] : 0;

    if (sample->n_user == 0 || frame & PROFILE_FRAME_ADDRESS)
        return NULL;
    return known_files_owner(names->files, (uint32_t)(frame >> 32));
}

/* The note at the root of a stack that is not whole; UINT32_MAX: it is. */
static uint32_t find_note(const struct stack_names *names, const struct profile_sample *sample)
{
    static const char *const notes[PROFILE_OUTCOME_COUNT_] = {
        [PROFILE_TRUNCATED] = "[truncated]",
        [PROFILE_YOUNG] = "[process too young]",
        [PROFILE_NO_MAPPING] = "[code not known to be mapped]",
        [PROFILE_NO_TABLE] = "[no unwind table]",
        [PROFILE_NO_RULE] = "[no unwind rule]",
        [PROFILE_UNREADABLE] = "[stack not in memory]",
        [PROFILE_BROKEN] = "[broken stack]",
        [PROFILE_CHANGED] = "[mappings have changed]",
        [PROFILE_NOT_LOOKED_AT] = "[process not looked at]",
        [PROFILE_LOST] = "[sample lost]",
    };
    const bool is_of_file =
        sample->outcome == PROFILE_NO_TABLE || sample->outcome == PROFILE_NO_RULE;
    const char *owner = is_of_file ? last_owner(names, sample) : NULL;

    if (sample->outcome >= PROFILE_OUTCOME_COUNT_ || !notes[sample->outcome])
        return UINT32_MAX;
    return profile_store_function(names->store, PROFILE_NOTE, owner ? owner : "",
                                  notes[sample->outcome]);
}

bool stack_make(const struct stack_names *names, const struct profile_sample *sample, bool is_last,
                uint64_t now_ns, struct stack *ret_stack)
{
    const uint32_t note = find_note(names, sample);
    struct making making;

    making.names = names;
    making.sample = sample;
    making.is_last = is_last;
    making.use = (struct file_use){.cgroup = sample->cgroup, .now_ns = now_ns};
    making.n = 0;
    making.is_at_leaf = sample->n_kernel == 0;
    making.place = PROFILE_NO_PLACE;
    for (size_t i = 0; i < sample->n_kernel; i++)
        add(&making, kernel_names_function(names->kernel, frames_of(sample)[i]));
    if (sample->file != 0) /* the frames may have been left out that lead there */
        known_files_want(names->files, sample->file, &making.use);
    if (!add_user_frames(&making))
        return false;
    ret_stack->n = 0;
    ret_stack->place = making.place;
    if (note != UINT32_MAX)
        ret_stack->functions[ret_stack->n++] = note;
    while (making.n > 0)
        ret_stack->functions[ret_stack->n++] = making.functions[--making.n];
    return true;
}
