/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Finds the name that is nearest to a mistyped one, among many that are offered one after the
 * other. Upper and lower case are the same here, and so are `.` and `:` (Intel's lists have
 * inst_retired.any_p for INST_RETIRED:ANY_P).
 */

#include <stdbool.h>

#define NEAREST_WORD_SIZE 64 /* with its NUL; longer words are never near */

struct nearest {
    char word[NEAREST_WORD_SIZE]; /* the mistyped name, in lower case and with `:` for `.` */
    char best[NEAREST_WORD_SIZE]; /* the nearest name so far, as it was offered; empty: none */
};

/* False: the word is too long, and nothing will be near to it. */
bool nearest_init(struct nearest *nearest, const char *word);

/* Remembers the candidate if it is near, and nearer than all before it. */
void nearest_offer(struct nearest *nearest, const char *candidate);
