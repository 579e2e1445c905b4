/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The nearest of many names to one that was mistyped, one offered after the
 * other. Upper and lower case are alike here, and so are `.` and `:`
 * (inst_retired.any_p is what Intel's lists call INST_RETIRED:ANY_P).
 */

#include <stdbool.h>

#define NEAREST_WORD_SIZE 64 /* with its NUL; longer words are never near */

struct nearest {
    char word[NEAREST_WORD_SIZE]; /* folded */
    char best[NEAREST_WORD_SIZE]; /* as offered; empty: none yet */
};

/* False, and nothing will be near, if the word is too long. */
bool nearest_init(struct nearest *nearest, const char *word);

void nearest_offer(struct nearest *nearest, const char *candidate);
