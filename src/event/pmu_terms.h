/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The terms between the slashes of "cpu/event=0xc0,umask=0x1/", and in the files of a PMU's
 * directory `events`: words with or without a value, and commas between them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMU_WORD_SIZE 128 /* with its NUL; no PMU of the kernel has a longer name of an event */

/* What stands behind the `=` of a term. */
enum pmu_value {
    VALUE_NONE,   /* there is no `=`; a field of the PMU is then 1 */
    VALUE_NUMBER, /* decimal digits, or 0x and hexadecimal digits */
    VALUE_WORD,   /* another text, as in "event=instructions" or "name=foo" */
    VALUE_OPEN,   /* a question mark: whoever names the event gives the value */
};

struct pmu_term {
    char name[PMU_WORD_SIZE];
    enum pmu_value kind;
    uint64_t number;          /* 1 without a value */
    char word[PMU_WORD_SIZE]; /* of VALUE_WORD */
};

/*
 * Takes the next term off the text. 1: *text stands behind the term and its comma; 0: the text is
 * at its end; -EINVAL: what stands there is no term; -ERANGE: the number of *ret_term, whose name
 * is set, has more than 64 bits.
 */
int pmu_term_next(const char **text, struct pmu_term *ret_term);

/* Whether a file of a PMU may be called so: no path, and nothing hidden. */
bool pmu_word_is_name(const char *word);
