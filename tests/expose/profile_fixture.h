/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A small profile with one function of each kind, and names that mean harm. */

#include "profile/store_fixture.h"

#define HOSTILE "<script>\"a;b\\\n\xc3\xa4"

static inline uint32_t function_of(struct profile_store *store, enum profile_kind kind,
                                   const char *owner, const char *name)
{
    return profile_store_function(store, kind, owner, name);
}

/* main, then: itself 1, a system call 2, made at run time 3, a note below that 4, hostile 5. */
static inline struct profile_tree *known_tree(void)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    const uint32_t main_function = function_of(store, PROFILE_USER, "program", "main");
    const uint32_t call = function_of(store, PROFILE_KERNEL, "[kernel]", "do_syscall_64");
    const uint32_t made = function_of(store, PROFILE_JIT, "perf-1.map", "LazyCompile:~f");
    const uint32_t note = function_of(store, PROFILE_NOTE, "", "[truncated]");
    const uint32_t hostile = function_of(store, PROFILE_USER, "lib\"x\".so", HOSTILE);
    const struct {
        uint32_t functions[3];
        size_t n, samples;
    } stacks[] = {{{main_function}, 1, 1},
                  {{main_function, call}, 2, 2},
                  {{main_function, made}, 2, 3},
                  {{main_function, made, note}, 3, 4},
                  {{main_function, hostile}, 2, 5}};

    for (size_t i = 0; i < ARRAY_SIZE(stacks); i++)
        for (size_t j = 0; j < stacks[i].samples; j++)
            profile_store_add(
                store, 0, BEGIN,
                &(struct profile_stack){stacks[i].functions, stacks[i].n, PROFILE_NO_PLACE});
    return tree_of(store, PROFILE_MACHINE, "", BEGIN, BEGIN + SECOND);
}
