/* SPDX-License-Identifier: Apache-2.0 */
#include "base/keyed_hash.h"

#include <string.h>
#include <sys/random.h>

#include "base/clock.h"

struct sip_state {
    uint64_t v0, v1, v2, v3;
};

void hash_key_draw(struct hash_key *ret_key)
{
    struct hash_key key;

    if (getrandom(&key, sizeof(key), GRND_NONBLOCK) != (ssize_t)sizeof(key))
        key = (struct hash_key){{clock_monotonic_ns(), (uint64_t)(uintptr_t)ret_key}};
    *ret_key = key;
}

static uint64_t rotate(uint64_t word, unsigned by)
{
    return word << by | word >> (64 - by);
}

static void sip_round(struct sip_state *s)
{
    s->v0 += s->v1;
    s->v1 = rotate(s->v1, 13) ^ s->v0;
    s->v0 = rotate(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotate(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotate(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotate(s->v1, 17) ^ s->v2;
    s->v2 = rotate(s->v2, 32);
}

static void absorb(struct sip_state *s, uint64_t word)
{
    s->v3 ^= word;
    sip_round(s);
    s->v0 ^= word;
}

uint64_t keyed_hash(const struct hash_key *key, const void *bytes, size_t n)
{
    struct sip_state s = {
        key->words[0] ^ UINT64_C(0x736f6d6570736575),
        key->words[1] ^ UINT64_C(0x646f72616e646f6d),
        key->words[0] ^ UINT64_C(0x6c7967656e657261),
        key->words[1] ^ UINT64_C(0x7465646279746573),
    };
    const unsigned char *at = bytes;
    uint64_t word = 0;
    size_t left = n;

    for (; left >= sizeof(word); left -= sizeof(word), at += sizeof(word)) {
        memcpy(&word, at, sizeof(word));
        absorb(&s, word);
    }
    word = 0;
    memcpy(&word, at, left);
    absorb(&s, word | (uint64_t)n << 56);
    s.v2 ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
