/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The tables of all files, in the arrays that the program in the kernel unwinds by. There they are
 * by place in the file, since that is what a mapping tells without a look into the file: rows in
 * pages of 64 KiB. Rules are shared by all files, and stay as long as a row has them.
 */

#include "profile/extents.h"
#include "profile/object_table.h"
#include "sys/bpf/profile/program.h"

struct unwind_pool;

struct unwind_pool_size {
    size_t rows, pages, rules;
};

/* The arrays are borrowed for the life of the pool. NULL: no memory. */
struct unwind_pool *unwind_pool_new(const struct profile_arrays *arrays,
                                    const struct unwind_pool_size *size);
struct unwind_pool *unwind_pool_free(struct unwind_pool *pool);
DEFINE_AUTO(unwind_pool, struct unwind_pool *, unwind_pool_free)

/* What a file has of the arrays. */
struct unwind_pages {
    struct extent rows, pages;
};

/*
 * Enters the table of a file. 0; -E2BIG: it would take more than half of the rows or pages, or more
 * than a quarter of the rules, or its segments have another order in memory than in the file;
 * -ENOSPC: there is no room now; -ENOMEM.
 */
int unwind_pool_add(struct unwind_pool *pool, const struct object_table *table,
                    struct unwind_pages *ret_pages);

/* Gives back its places. No walk may be at them any more. */
void unwind_pool_remove(struct unwind_pool *pool, const struct unwind_pages *pages);

/* How many bytes of the arrays are in use. */
size_t unwind_pool_bytes(const struct unwind_pool *pool);
