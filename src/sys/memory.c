/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/memory.h"

#include <malloc.h>

#define LARGE_BLOCK (256 * 1024)

void memory_settle(void)
{
    /* Each may be refused by another malloc than glibc's: then that one's ways are kept. */
    (void)mallopt(M_ARENA_MAX, 1);
    (void)mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
    (void)mallopt(M_TRIM_THRESHOLD, LARGE_BLOCK);
}

void memory_give_back(void)
{
    (void)malloc_trim(0);
}
