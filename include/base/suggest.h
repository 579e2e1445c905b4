/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* For messages that ask "did you mean": finds the valid word that was most likely meant. */

#include <stddef.h>

/*
 * The Damerau-Levenshtein distance: how many letters must be added, left out, replaced or swapped
 * with the next one to make one word of the other. It is UINT_MAX for words of over 63 bytes.
 */
unsigned suggest_distance(const char *a, const char *b);

/*
 * Finds the word of the list that is nearest to `word` by distance, which may be a third of
 * the word's length, and 3, at most. If there is none, takes a word with the same beginning
 * whose ending of at most 3 letters is another one ("childs", "children"). Returns NULL if no
 * word is near enough to be meant. The result is borrowed from the list.
 */
const char *suggest_nearest(const char *word, const char *const *words, size_t n_words);
