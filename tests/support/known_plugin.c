/* SPDX-License-Identifier: Apache-2.0 */

/* A library that known_stacks.c loads. It is built twice: INNER names what it has of its own. */
#include <stdint.h>

void work(void (*burn)(uint64_t turns), uint64_t turns);
void INNER(void (*burn)(uint64_t turns), uint64_t turns);

__attribute__((noinline)) void INNER(void (*burn)(uint64_t turns), uint64_t turns)
{
    burn(turns);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void work(void (*burn)(uint64_t turns), uint64_t turns)
{
    INNER(burn, turns);
    __asm__ volatile("" ::: "memory");
}
