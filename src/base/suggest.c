/* SPDX-License-Identifier: Apache-2.0 */
#include "base/suggest.h"

#include <limits.h>
#include <string.h>

#define LONGEST_WORD   63 /* in bytes; no key or name of ours is longer */
#define SHORTEST_STEM  4  /* a shorter beginning is common by chance */
#define LONGEST_ENDING 3

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned smaller = a < b ? a : b;

    return smaller < c ? smaller : c;
}

/* Row i of the usual table needs the two rows before it, so three rows are used in turn. */
unsigned suggest_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    unsigned rows[3][LONGEST_WORD + 1];
    unsigned *before = rows[0], *previous = rows[1], *current = rows[2];

    if (n > LONGEST_WORD || m > LONGEST_WORD)
        return UINT_MAX;
    for (size_t j = 0; j <= m; j++)
        previous[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *recycled = before;

        current[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned replaced = previous[j - 1] + (a[i - 1] != b[j - 1]);

            current[j] = min3(previous[j] + 1, current[j - 1] + 1, replaced);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < current[j])
                current[j] = before[j - 2] + 1;
        }
        before = previous;
        previous = current;
        current = recycled;
    }
    return previous[m];
}

/*
 * Returns how many letters at the beginning of the two words are the same, or 0 if these are too
 * few for the words to mean the same. The ending may be a third of the word, as in
 * suggest_nearest().
 */
static size_t common_stem(const char *word, const char *other)
{
    size_t length = strlen(word), stem = 0;

    while (word[stem] && word[stem] == other[stem])
        stem++;
    if (length > LONGEST_WORD || stem < SHORTEST_STEM || 3 * (length - stem) > length)
        return 0;
    if (length - stem > LONGEST_ENDING || strlen(other) - stem > LONGEST_ENDING)
        return 0;
    return stem;
}

/* Finds the word that has the longest beginning in common with this one. */
static const char *find_by_stem(const char *word, const char *const *words, size_t n_words)
{
    const char *nearest = NULL;
    size_t longest = 0;

    for (size_t i = 0; i < n_words; i++) {
        size_t stem = common_stem(word, words[i]);

        if (stem > longest) {
            longest = stem;
            nearest = words[i];
        }
    }
    return nearest;
}

const char *suggest_nearest(const char *word, const char *const *words, size_t n_words)
{
    size_t third = (strlen(word) + 2) / 3;
    unsigned best = third < 3 ? (unsigned)third : 3;
    const char *nearest = NULL;

    for (size_t i = 0; i < n_words; i++) {
        unsigned distance = suggest_distance(word, words[i]);

        if (distance < best || (distance == best && !nearest)) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest ? nearest : find_by_stem(word, words, n_words);
}
