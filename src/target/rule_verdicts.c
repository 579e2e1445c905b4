/* SPDX-License-Identifier: Apache-2.0 */
#include "target/rule_verdicts.h"

#include <errno.h>
#include <string.h>

/* Offsets of 16 bits suffice: at most 4096 bytes of arguments are read (sys/process.h). */
struct capture {
    uint16_t begin, n;
};

struct rule_verdicts {
    uint64_t hash; /* of the arguments that the verdicts are about */
    size_t n_patterns;
    uint8_t *of_patterns;
    struct capture captures[]; /* the bytes of of_patterns stand behind them */
};

static int allocate(struct rule_verdicts **verdicts, size_t n_patterns, size_t n_captures)
{
    struct rule_verdicts *made =
        calloc(1, sizeof(*made) + n_captures * sizeof(struct capture) + n_patterns);

    if (!made)
        return -ENOMEM;
    made->n_patterns = n_patterns;
    made->of_patterns = (uint8_t *)(made->captures + n_captures);
    *verdicts = made;
    return 0;
}

int rule_verdicts_begin(struct rule_verdicts **verdicts, const struct hash_key *key,
                        const char *cmdline, size_t n_patterns, size_t n_captures)
{
    const uint64_t hash = keyed_hash(key, cmdline, strlen(cmdline));
    int r = *verdicts ? 0 : allocate(verdicts, n_patterns, n_captures);

    if (r < 0)
        return r;
    if ((*verdicts)->hash != hash)
        memset((*verdicts)->of_patterns, CMDLINE_UNKNOWN, n_patterns);
    (*verdicts)->hash = hash;
    return 0;
}

enum cmdline_verdict rule_verdicts_get(const struct rule_verdicts *verdicts, size_t pattern)
{
    return verdicts->of_patterns[pattern];
}

void rule_verdicts_set(struct rule_verdicts *verdicts, size_t pattern, enum cmdline_verdict verdict,
                       const char *cmdline, const struct text_piece *captures, size_t first,
                       size_t n)
{
    verdicts->of_patterns[pattern] = (uint8_t)verdict;
    for (size_t i = 0; i < n && verdict == CMDLINE_MATCHES; i++)
        verdicts->captures[first + i] = (struct capture){
            (uint16_t)(captures[i].bytes - cmdline),
            (uint16_t)captures[i].n,
        };
}

void rule_verdicts_captures(const struct rule_verdicts *verdicts, const char *cmdline, size_t first,
                            size_t n, struct text_piece *ret_captures)
{
    for (size_t i = 0; i < n; i++) {
        const struct capture *capture = &verdicts->captures[first + i];

        ret_captures[i] = (struct text_piece){cmdline + capture->begin, capture->n};
    }
}
