/* SPDX-License-Identifier: Apache-2.0 */
#include "event/nearest.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"

static char fold(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '.' ? ':' : c;
}

static bool fold_word(const char *word, char ret_folded[NEAREST_WORD_SIZE])
{
    size_t length = strlen(word);

    if (length >= NEAREST_WORD_SIZE)
        return false;
    for (size_t i = 0; i <= length; i++)
        ret_folded[i] = fold(word[i]);
    return true;
}

bool nearest_init(struct nearest *nearest, const char *word)
{
    *nearest = (struct nearest){0};
    return fold_word(word, nearest->word);
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
    char best[NEAREST_WORD_SIZE], offered[NEAREST_WORD_SIZE];
    const char *const rivals[] = {best, offered};

    if (!fold_word(candidate, offered))
        return;
    (void)fold_word(nearest->best, best);
    if (suggest_nearest(nearest->word, rivals, ARRAY_SIZE(rivals)) == offered)
        memcpy(nearest->best, candidate, strlen(candidate) + 1);
}
