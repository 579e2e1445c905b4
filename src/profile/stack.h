/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* From the addresses of a sample to functions. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/address_spaces.h"
#include "profile/jit_maps.h"
#include "profile/kernel_names.h"
#include "profile/known_files.h"
#include "profile/store.h"
#include "sys/bpf/profile/record.h"

/* What the functions of a stack are found by. All borrowed. */
struct stack_names {
    struct profile_store *store;
    struct known_files *files;
    struct address_spaces *spaces;
    struct jit_maps *jit;
    struct kernel_names *kernel;
};

/* With a note at its root that says why it does not go on. */
#define STACK_MOST (PROFILE_FRAMES_MOST + 1)

struct stack {
    uint32_t functions[STACK_MOST]; /* from the root to the leaf */
    size_t n;
    uint32_t place; /* of the leaf in its file; PROFILE_NO_PLACE: it is in none */
};

/*
 * Cuts a sample at its first frame that is in a file which the process had unmapped by then, or may
 * have. change: NULL: nothing is in doubt.
 */
void stack_cut(struct profile_sample *sample, const struct space_change *change);

/*
 * Makes the stack of a sample. is_last: what is not known now never will be. False: something has
 * to be read first, and was asked for.
 */
bool stack_make(const struct stack_names *names, const struct profile_sample *sample, bool is_last,
                uint64_t now_ns, struct stack *ret_stack);
