/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A page that is being written: in its format, with all families or with those that were chosen.
 * Whoever writes a family asks for it first, also if it has no samples now, so that a page knows
 * which names there are.
 */

#include "expose/format.h"

struct page {
    struct text *text;
    const struct exposition_order *order;
    bool *found;        /* for each name of the order: there is such a family */
    const char **names; /* of all families, where the order has names; they are borrowed */
    size_t n_names, capacity;
    bool failed; /* there was no memory for the fields above */
};

/* The order is borrowed until page_end(). */
void page_begin(struct page *page, const struct exposition_order *order, struct text *text);

/* Tells whether a family is to be written. The name is borrowed until page_end(). */
bool page_wants(struct page *page, struct family_name name);

/* Writes the head of a family that is wanted. */
void page_append_head(struct page *page, struct family_name name, const char *help);

/* Ends the text, and the page. Returns what exposition_write() does. */
int page_end(struct page *page);
