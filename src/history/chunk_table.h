/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The tables of targets, layouts and chunks. Times are CLOCK_REALTIME in milliseconds. */

#include "history/database.h"
#include "history/layout.h"

/* How old what is kept of a level is, and at which resolution, stands in thinning.h. */
enum level { LEVEL_FULL, LEVEL_TEN_SECONDS, LEVEL_MINUTES, LEVELS_ };

extern const struct database_kind chunk_table_kind;

/*
 * Chunks of a level are hardly ever longer than so many milliseconds: because of a long interval,
 * or since the clock was set. These have an index of their own, chunks_by_length, for which a query
 * says CHUNK_IS_LONG in these very words.
 */
#define CHUNK_LENGTH(level) "iif(" level " < 2, 3600000, 25200000)"
#define CHUNK_IS_LONG       "end - start > " CHUNK_LENGTH("level")

/* A chunk with all that belongs to it. All is borrowed. */
struct chunk_row {
    const char *key, *kind;
    const void *labels, *layout, *blob;
    size_t labels_length, layout_length, blob_length;
    enum level level;
    uint64_t start_ms, end_ms; /* of its rows: the least and the greatest */
};

int chunk_table_insert(struct database *database, const struct chunk_row *row);

/*
 * Calls visit() for each chunk of a target that has rows in a range, in the order in which they
 * were written, until one of the calls returns an error.
 */
typedef int chunk_visit(const struct chunk_row *row, uint64_t id, void *context);
int chunk_table_each(struct database *database, const char *key, uint64_t start_ms, uint64_t end_ms,
                     chunk_visit *visit, void *context);

/* Calls visit() for all chunks of all targets. */
int chunk_table_all(struct database *database, chunk_visit *visit, void *context);

int chunk_table_delete(struct database *database, uint64_t id);

/* Forgets a target, if no chunk has it. */
int chunk_table_forget(struct database *database, uint64_t target);

/* Copies all chunks: it is the `move` of a vault (vault.h). */
int chunk_table_move(struct database *from, struct database *to);

/* Forgets targets and layouts that no chunk has. */
int chunk_table_clean(struct database *database);
