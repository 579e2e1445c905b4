/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A hash for tables whose keys strangers choose, such as names of cgroups (SipHash-1-3, by
 * Aumasson and Bernstein). Who does not know the hash key cannot make thousands of names that
 * fall into one place of the table, which would make each search slow.
 */

#include <stddef.h>
#include <stdint.h>

struct hash_key {
    uint64_t words[2];
};

/*
 * Draws a random key. If the kernel has no random bytes yet (early at boot), makes a weaker one
 * from a clock and an address rather than wait.
 */
void hash_key_draw(struct hash_key *ret_key);

uint64_t keyed_hash(const struct hash_key *key, const void *bytes, size_t n);
