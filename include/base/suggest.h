/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* "did you mean": the nearest valid word to one that was mistyped. */

#include <stddef.h>

/* The Damerau-Levenshtein distance (adjacent letters may swap); words over 63 bytes are far. */
unsigned suggest_distance(const char *a, const char *b);

/*
 * The word of the list that is nearest to `word`, or NULL where none is near
 * enough to be meant (more than a third of its letters, or 3, differ). Where none
 * is, one that begins as it does and has another ending of at most 3 letters
 * ("childs", "children"). The result is borrowed from the list.
 */
const char *suggest_nearest(const char *word, const char *const *words, size_t n_words);
