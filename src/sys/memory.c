/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/memory.h"

#include <malloc.h>

#include "base/clock.h"

#define LARGE_BLOCK (256 * 1024)

/*
 * So much free memory is worth giving back. glibc by itself gives back only what is at the end of
 * the heap, and one small block there that stays in use prevents it.
 */
#define MUCH ((size_t)256 * 1024)

/*
 * The heap's figures do not show memory that was taken and freed between two calls; therefore it is
 * given back every ten seconds, too.
 */
#define INTERVAL_NS (10 * NS_PER_SECOND)

void memory_settle(void)
{
    /* Another malloc than glibc's may refuse these; then its own settings stand. */
    (void)mallopt(M_ARENA_MAX, 1);
    (void)mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
    (void)mallopt(M_TRIM_THRESHOLD, LARGE_BLOCK);
}

void memory_give_back(struct memory_state *state, uint64_t now_ns)
{
    size_t free_bytes = mallinfo2().fordblks;

    if (free_bytes < state->free_bytes)
        state->free_bytes = free_bytes;
    if (free_bytes <= state->free_bytes + MUCH && now_ns - state->given_ns < INTERVAL_NS)
        return;
    (void)malloc_trim(0);
    state->free_bytes = mallinfo2().fordblks;
    state->given_ns = now_ns;
}
