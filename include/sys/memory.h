/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How the heap behaves in a service that runs for ever beside others. */

#include <stddef.h>
#include <stdint.h>

/*
 * One arena for both threads, and large blocks always by mmap, so that they go back
 * to the kernel when they are freed. Once, at the start.
 */
void memory_settle(void);

/* Zeroed at first. */
struct memory_state {
    size_t free_bytes; /* in the heap when that was last given back, or less if it was used since */
    uint64_t given_ns;
};

/*
 * Gives free memory of the heap back to the kernel: where there is much more than the
 * last time, whoever freed it, and every ten seconds. Once a cycle; microseconds, or up
 * to some milliseconds where it gives back.
 */
void memory_give_back(struct memory_state *state, uint64_t now_ns);
