/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Names that strangers choose, as values of labels. A name that text_is_clean() accepts is the
 * value as it is. The value of any other name is a mark, chosen so that no clean name begins with
 * it, and the percent-encoded name: `%XX` for each byte, except for the printable ones of ASCII
 * without `%`. So the value tells the name exactly.
 *
 * A value that would be longer than LABEL_VALUE_MAX, clean or not, is cut: it is the mark, the
 * encoded form up to the end of some byte of the name, "…", and a hash of the whole name (FNV-1a,
 * 16 hexadecimal digits). "…" is not ASCII, so only cut values have it. Two names share a cut value
 * only if somebody looks for such a pair.
 */

#include <stdbool.h>

#include "base/text.h"

/* The longest value, in bytes. */
#define LABEL_VALUE_MAX 1024

/* Appends the value of a name. as_it_is says that it is clean and does not begin with the mark. */
void label_value_append(struct text *text, const char *name, size_t n, bool as_it_is,
                        const char *mark);

/* Whether this value, which has this mark, was cut because the name was too long. */
bool label_value_is_cut(const char *value, const char *mark);
