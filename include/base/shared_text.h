/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A text that never changes and has several owners. Any thread may take and drop references. */

#include "base/cleanup.h"
#include "base/reference.h"

struct shared_text {
    struct reference reference;
    char text[];
};

/* Copies a text, of which the caller is the first owner. NULL: no memory. */
struct shared_text *shared_text_new(const char *text);

/* Both take NULL, and return it. */
struct shared_text *shared_text_ref(struct shared_text *shared);
struct shared_text *shared_text_unref(struct shared_text *shared);
DEFINE_AUTO(shared_text, struct shared_text *, shared_text_unref)

/* Whether both are the same text, or both are NULL. */
bool shared_text_equal(const struct shared_text *a, const struct shared_text *b);
