/* SPDX-License-Identifier: Apache-2.0 */
#include "web/verdicts.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <string.h>

/* What is digested: three texts, each ended by a NUL, which none of them holds. */
#define MOST_BYTES (2UL * (PASSWORD_LONGEST + 1) + sizeof(((struct password_job *)0)->hash))

int verdicts_init(struct verdicts *verdicts)
{
    *verdicts = (struct verdicts){0};
    return gnutls_rnd(GNUTLS_RND_KEY, verdicts->key, sizeof(verdicts->key)) < 0 ? -EIO : 0;
}

static int digest_bytes(const struct verdicts *verdicts, const void *bytes, size_t n,
                        uint8_t ret_digest[32])
{
    return gnutls_hmac_fast(GNUTLS_MAC_SHA256, verdicts->key, sizeof(verdicts->key), bytes, n,
                            ret_digest) < 0
               ? -ENOMEM
               : 0;
}

int verdicts_digest(const struct verdicts *verdicts, const struct credentials *credentials,
                    const char *hash, uint8_t ret_digest[32])
{
    char bytes[MOST_BYTES];
    char *end = stpcpy(bytes, credentials->name) + 1;
    int r;

    end = stpcpy(end, credentials->password) + 1;
    end = stpcpy(end, hash) + 1;
    r = digest_bytes(verdicts, bytes, (size_t)(end - bytes), ret_digest);
    explicit_bzero(bytes, sizeof(bytes));
    return r;
}

bool verdicts_know(const struct verdicts *verdicts, const uint8_t digest[32])
{
    const size_t n = verdicts->n < VERDICTS_KEPT ? verdicts->n : VERDICTS_KEPT;

    for (size_t i = 0; i < n; i++)
        if (gnutls_memcmp(verdicts->digests[i], digest, 32) == 0)
            return true;
    return false;
}

void verdicts_add(struct verdicts *verdicts, const uint8_t digest[32])
{
    if (!verdicts_know(verdicts, digest))
        memcpy(verdicts->digests[verdicts->n++ % VERDICTS_KEPT], digest, 32);
}

size_t verdicts_number(const struct verdicts *verdicts, const char *name)
{
    uint8_t digest[32] = {0};
    size_t number;

    (void)digest_bytes(verdicts, name, strlen(name), digest);
    memcpy(&number, digest, sizeof(number));
    return number;
}
