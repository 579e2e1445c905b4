/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * FNV-1a with 64 bits, by Fowler, Noll and Vo: for what nobody gains by choosing so that two have
 * the same hash. Tables whose keys strangers choose take base/keyed_hash.h.
 */

#include <stddef.h>
#include <stdint.h>

static inline uint64_t fnv1a(const void *bytes, size_t n)
{
    const unsigned char *next = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ next[i]) * UINT64_C(0x100000001b3);
    return hash;
}
