/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How the heap behaves in a service that runs for ever beside others. */

#include <stddef.h>
#include <stdint.h>

/*
 * Has all threads share one arena, and has large blocks always mapped by themselves, so that they
 * go back to the kernel when they are freed. It is called once, at the start.
 */
void memory_settle(void);

/* All zeros at first. */
struct memory_state {
    size_t free_bytes; /* the least free memory of the heap since it was last given back */
    uint64_t given_ns; /* CLOCK_MONOTONIC, when it was last given back */
};

/*
 * Gives free memory of the heap back to the kernel if there is much more of it than after the last
 * time, and every ten seconds. It is called once in a cycle, and takes microseconds, or up to some
 * milliseconds where it gives memory back.
 */
void memory_give_back(struct memory_state *state, uint64_t now_ns);
