/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Names as a worker writes them: their lengths, then their bytes, each with a NUL. */

#include <stddef.h>
#include <stdint.h>

struct name_list {
    size_t n;
    char **names; /* NULL where there is none */
    char *bytes;  /* in which they stand */
};

void name_list_done(struct name_list *list);

/*
 * Takes n names out of exactly n_bytes bytes. Each is clean UTF-8 of at most OBJECT_NAME_MOST
 * bytes. 0; -EBADMSG: something does not hold; -ENOMEM.
 */
int name_list_parse(const void *bytes, size_t n_bytes, size_t n, struct name_list *ret_list);
