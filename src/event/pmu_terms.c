/* SPDX-License-Identifier: Apache-2.0 */
#include "event/pmu_terms.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"

/* Those of perf; words hold no other characters. */
#define WORD_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:@$+!?*'"

/* Copies n characters of a word. False: it is empty, too long, or holds another character. */
static bool copy_word(const char *text, size_t n, char ret_word[PMU_WORD_SIZE])
{
    if (n == 0 || n >= PMU_WORD_SIZE || strspn(text, WORD_CHARACTERS) < n)
        return false;
    memcpy(ret_word, text, n);
    ret_word[n] = '\0';
    return true;
}

static int parse_value(struct pmu_term *term)
{
    int r;

    if (strcmp(term->word, "?") == 0) {
        term->kind = VALUE_OPEN;
        return 1;
    }
    r = term->word[0] == '0' && (term->word[1] == 'x' || term->word[1] == 'X')
            ? parse_hex(term->word + 2, &term->number)
            : parse_u64(term->word, &term->number);
    term->kind = r < 0 ? VALUE_WORD : VALUE_NUMBER;
    return r == -ERANGE ? r : 1;
}

int pmu_term_next(const char **text, struct pmu_term *ret_term)
{
    const char *name = *text + strspn(*text, " ");
    const size_t n = strcspn(name, ","), n_name = strcspn(name, "=,");

    if (!*name)
        return 0;
    *ret_term = (struct pmu_term){.number = 1};
    if (!copy_word(name, n_name, ret_term->name) || (name[n] && !name[n + 1]))
        return -EINVAL;
    *text = name + n + (name[n] == ',');
    if (n_name == n)
        return 1;
    return copy_word(name + n_name + 1, n - n_name - 1, ret_term->word) ? parse_value(ret_term)
                                                                        : -EINVAL;
}

bool pmu_word_is_name(const char *word)
{
    return word[0] != '.' && word[0] != '\0' && !strchr(word, '/');
}
