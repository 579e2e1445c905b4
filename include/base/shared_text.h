/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A text that never changes and has several owners. Any thread may take and drop references. */

#include "base/cleanup.h"
#include "base/reference.h"

struct shared_text {
    struct reference reference;
    int fd;            /* a descriptor that is open as long as the text lives; -1: none */
    const char *shown; /* what people are shown of it: the text itself, or a path */
    char text[];
};

/* Copies a text, of which the caller is the first owner. NULL: no memory. */
struct shared_text *shared_text_new(const char *text);

/*
 * A text that leads to an open file wherever its path leads to later: "/proc/self/fd/N". The text
 * takes the descriptor over, also if there is no memory. path: what people are shown.
 */
struct shared_text *shared_text_new_file(int fd, const char *path);

/* Both take NULL, and return it. */
struct shared_text *shared_text_ref(struct shared_text *shared);
struct shared_text *shared_text_unref(struct shared_text *shared);
DEFINE_AUTO(shared_text, struct shared_text *, shared_text_unref)

/* Whether both show the same, or both are NULL. */
bool shared_text_equal(const struct shared_text *a, const struct shared_text *b);
