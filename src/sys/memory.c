/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/memory.h"

#include <malloc.h>

#include "base/clock.h"

#define LARGE_BLOCK (256 * 1024)

/* Free memory within the heap that is worth giving back: glibc does that by itself only at the
 * heap's end, which one small block that lives on keeps where it is. */
#define MUCH ((size_t)256 * 1024)

/* What was used and freed between two looks leaves no trace in the figures of the heap. */
#define INTERVAL_NS (10 * NS_PER_SECOND)

void memory_settle(void)
{
    /* Each may be refused by another malloc than glibc's: then that one's ways are kept. */
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
