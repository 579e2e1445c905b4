/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A hash for tables whose keys strangers choose (SipHash-1-3, Aumasson and
 * Bernstein): without the key nobody can make names that fall together.
 */

#include <stddef.h>
#include <stdint.h>

struct hash_key {
    uint64_t words[2];
};

/* Draws a key; a weaker one, from clock and addresses, where the kernel gives no random bytes. */
void hash_key_draw(struct hash_key *ret_key);

uint64_t keyed_hash(const struct hash_key *key, const void *bytes, size_t n);
