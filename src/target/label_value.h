/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Names of strangers as values of labels (DESIGN: names on /metrics). One that
 * text_is_clean() takes stands as it is. Any other is a mark, chosen so that no
 * clean name begins with it, and behind it the name percent-encoded: `%XX` for
 * every byte but the printable ones of ASCII, and for `%` itself. So the value
 * tells the name exactly.
 *
 * A value that would be longer than LABEL_VALUE_MAX, clean or not, is mark and
 * encoded form cut between two bytes of the name, then "…" and a hash of the whole
 * name (FNV-1a, 16 hexadecimal digits). "…" is not ASCII, so no name that is not cut
 * has such a value. Two that are cut share one only if somebody looks for that.
 */

#include <stdbool.h>

#include "base/text.h"

/* The longest value, in bytes. */
#define LABEL_VALUE_MAX 1024

/* Appends the value of a name. as_it_is: it is clean, and does not begin with the mark. */
void label_value_append(struct text *text, const char *name, size_t n, bool as_it_is,
                        const char *mark);

/* Whether this value, which begins with that mark, is one of a name that was too long. */
bool label_value_is_cut(const char *value, const char *mark);

/* Appends the name that was encoded, from behind the mark. 0, -EINVAL if this is none, -ENOMEM. */
int label_value_decode(const char *encoded, struct text *name);
