/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The names and passwords that were found right, so that a scraper's is hashed once. What is kept
 * is their HMAC under a key that was drawn at the start, and nothing of themselves.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "web/credentials.h"

#define VERDICTS_KEPT 64

struct verdicts {
    uint8_t key[32];
    uint8_t digests[VERDICTS_KEPT][32]; /* the oldest gives way */
    size_t n;                           /* that were ever added */
};

/* Draws the key. 0 or -EIO. */
int verdicts_init(struct verdicts *verdicts);

/*
 * Makes the digest of a name, a password and the hash with which the password is compared: another
 * hash, as after a change of the password, is another digest. 0 or -ENOMEM.
 */
int verdicts_digest(const struct verdicts *verdicts, const struct credentials *credentials,
                    const char *hash, uint8_t ret_digest[32]);

bool verdicts_know(const struct verdicts *verdicts, const uint8_t digest[32]);
void verdicts_add(struct verdicts *verdicts, const uint8_t digest[32]);

/* A number that is always the same for a name, and that nobody can tell beforehand. */
size_t verdicts_number(const struct verdicts *verdicts, const char *name);
