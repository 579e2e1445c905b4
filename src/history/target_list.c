/* SPDX-License-Identifier: Apache-2.0 */

/* Which targets have numbers in a range: those of the databases, and those that are counted now. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "history/key.h"
#include "history/recorder_latencies.h"
#include "history/store.h"

/* A target while the list is made. */
struct listed {
    struct history_target target;
    UT_hash_handle hh;
};

struct listing {
    struct listed *targets;
    uint64_t start_ms, end_ms;
    bool is_cut;
    struct layout *layout; /* the last one that was parsed: neighbours have the same */
};

static void free_target(struct history_target *target)
{
    free(target->key);
    free(target->kind);
    key_free_labels(target->labels, target->n_labels);
    for (size_t i = 0; i < target->n_columns; i++)
        free(target->columns[i]);
    free(target->columns);
}

struct history_targets *history_targets_free(struct history_targets *targets)
{
    if (!targets)
        return NULL;
    for (size_t i = 0; i < targets->n_targets; i++)
        free_target(&targets->targets[i]);
    free(targets->targets);
    free(targets);
    return NULL;
}

static void listing_done(struct listing *listing)
{
    struct listed *listed, *next;

    HASH_ITER(hh, listing->targets, listed, next) {
        HASH_DEL(listing->targets, listed);
        free_target(&listed->target);
        free(listed);
    }
    listing->layout = layout_unref(listing->layout);
}

/* What a place knows of a target. The times are of its rows. */
struct known_target {
    const char *key, *kind;
    const void *labels;
    size_t labels_length;
    uint64_t start_ms, end_ms;
};

static struct listed *find_or_make(struct listing *listing, const struct known_target *known)
{
    struct listed *listed;

    HASH_FIND_STR(listing->targets, known->key, listed);
    if (listed)
        return listed;
    listed = calloc(1, sizeof(*listed));
    if (!listed)
        return NULL;
    listed->target.first_ns = UINT64_MAX;
    listed->target.key = strdup(known->key);
    listed->target.kind = strdup(known->kind);
    listed->target.labels = key_read_labels(known->labels ? known->labels : "",
                                            known->labels_length, &listed->target.n_labels);
    if (listed->target.key && listed->target.kind && listed->target.labels)
        HASH_ADD_KEYPTR(hh, listing->targets, listed->target.key, strlen(listed->target.key),
                        listed);
    if (listed->hh.tbl)
        return listed;
    free_target(&listed->target);
    free(listed);
    return NULL;
}

static int add_column(struct history_target *target, const char *name)
{
    char **columns;

    for (size_t i = 0; i < target->n_columns; i++)
        if (strcmp(target->columns[i], name) == 0)
            return 0;
    columns = reallocarray(target->columns, target->n_columns + 1, sizeof(*columns));
    if (!columns)
        return -ENOMEM;
    target->columns = columns;
    columns[target->n_columns] = strdup(name);
    return columns[target->n_columns] ? (target->n_columns++, 0) : -ENOMEM;
}

static int add_columns(struct listing *listing, const void *layout, size_t length,
                       struct history_target *target)
{
    int r = 0;

    if (!layout)
        return 0;
    if (!listing->layout || listing->layout->n_bytes != length ||
        memcmp(listing->layout->bytes, layout, length) != 0) {
        listing->layout = layout_unref(listing->layout);
        r = layout_parse(layout, length, &listing->layout);
    }
    for (size_t i = 0; r == 0 && i < listing->layout->n_series; i++)
        r = add_column(target, listing->layout->series[i].name);
    return r == -EBADMSG ? 0 : r;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t greatest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static int add_target(struct listing *listing, const struct known_target *known,
                      struct listed **ret_listed)
{
    struct listed *listed = find_or_make(listing, known);
    struct history_target *target;

    if (!listed)
        return -ENOMEM;
    target = &listed->target;
    target->first_ns =
        least(target->first_ns, greatest(known->start_ms, listing->start_ms) * NS_PER_MS);
    target->last_ns = greatest(target->last_ns, least(known->end_ms, listing->end_ms) * NS_PER_MS);
    *ret_listed = listed;
    return 0;
}

static int add_row(struct listing *listing, sqlite3_stmt *statement, struct listed **ret_listed)
{
    const struct known_target known = {
        .key = (const char *)sqlite3_column_text(statement, 1),
        .kind = (const char *)sqlite3_column_text(statement, 2),
        .labels = sqlite3_column_blob(statement, 3),
        .labels_length = (size_t)sqlite3_column_bytes(statement, 3),
        .start_ms = (uint64_t)sqlite3_column_int64(statement, 4),
        .end_ms = (uint64_t)sqlite3_column_int64(statement, 5),
    };

    return known.key && known.kind ? add_target(listing, &known, ret_listed) : 0;
}

/* Adds the columns of each layout that a row of layouts has. */
static int add_layouts(struct listing *listing, sqlite3_stmt *layouts, struct listed *listed)
{
    int result = SQLITE_DONE, r = 0;

    while (r == 0 && (result = sqlite3_step(layouts)) == SQLITE_ROW)
        r = add_columns(listing, sqlite3_column_blob(layouts, 0),
                        (size_t)sqlite3_column_bytes(layouts, 0), &listed->target);
    (void)sqlite3_reset(layouts);
    return r < 0 ? r : database_error(result);
}

static int prepare(struct database *database, const char *query, const struct listing *listing,
                   sqlite3_stmt **ret_statement)
{
    int r = database_prepare(database, query, ret_statement);

    if (r < 0)
        return r;
    (void)sqlite3_bind_int64(*ret_statement, 1, (sqlite3_int64)listing->start_ms);
    (void)sqlite3_bind_int64(*ret_statement, 2, (sqlite3_int64)listing->end_ms);
    return 0;
}

#define LAST_END_OF_USUAL "?2 + " CHUNK_LENGTH("l.number")

/*
 * Whether the range has a chunk at all, so that nobody looks for those of each target in vain. A
 * chunk that is not long begins soon before it ends: the index by ends alone finds it.
 */
static int has_chunks(struct database *database, const struct listing *listing, bool *ret_has)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int result = SQLITE_DONE,
        r = prepare(database,
                    "SELECT EXISTS (SELECT 1 FROM"
                    " (SELECT 0 AS number UNION ALL SELECT 1 UNION ALL SELECT 2) l"
                    " CROSS JOIN chunks c INDEXED BY chunks_by_age ON c.level = l.number"
                    " AND c.end >= ?1 AND c.end < " LAST_END_OF_USUAL " WHERE c.start < ?2)"
                    " OR EXISTS (SELECT 1 FROM chunks INDEXED BY chunks_by_length"
                    " WHERE " CHUNK_IS_LONG " AND end >= ?1 AND start < ?2)",
                    listing, &statement);

    if (r == 0)
        result = sqlite3_step(statement);
    if (r == 0 && result == SQLITE_ROW)
        *ret_has = sqlite3_column_int(statement, 0) != 0;
    return r < 0 ? r : database_error(result);
}

/*
 * Targets come one after the other from the index, and the layouts of each are asked for: to group
 * by both would sort all targets of the range, in memory, for the few that are listed.
 */
static int list_database(struct database *database, struct listing *listing)
{
    AUTO_STATEMENT sqlite3_stmt *targets = NULL;
    AUTO_STATEMENT sqlite3_stmt *layouts = NULL;
    int result = SQLITE_ROW, /* as long as there may be more */
        r = prepare(database,
                    "SELECT t.id, t.key, t.kind, t.labels, min(c.start), max(c.end)"
                    " FROM targets t CROSS JOIN chunks c ON c.target = t.id AND c.end >= ?1"
                    " AND c.start < ?2 WHERE t.kind NOT IN " BESIDE_KINDS " GROUP BY t.id",
                    listing, &targets);

    if (r == 0)
        r = prepare(database,
                    "SELECT bytes FROM layouts WHERE id IN (SELECT layout FROM chunks"
                    " WHERE target = ?3 AND end >= ?1 AND start < ?2)",
                    listing, &layouts);
    while (r == 0 && HASH_COUNT(listing->targets) < HISTORY_LISTED_MAX &&
           (result = sqlite3_step(targets)) == SQLITE_ROW) {
        struct listed *listed = NULL;

        r = add_row(listing, targets, &listed);
        if (!listed)
            continue;
        (void)sqlite3_bind_int64(layouts, 3, sqlite3_column_int64(targets, 0));
        r = add_layouts(listing, layouts, listed);
    }
    if (r == 0 && result == SQLITE_ROW)
        listing->is_cut |= (result = sqlite3_step(targets)) == SQLITE_ROW;
    return r < 0 ? r : database_error(result);
}

static int list_open(const struct open_target *target, void *context)
{
    struct listing *listing = context;
    AUTO_CHUNK_ROWS struct chunk_rows rows = {0};
    struct known_target known = {.key = target->key,
                                 .kind = target->kind,
                                 .labels = target->labels.data,
                                 .labels_length = target->labels.length};
    struct listed *listed;
    int r = target->is_beside ? 0 : open_rows_read(&target->rows, &rows);

    if (r < 0 || rows.n_rows == 0)
        return r;
    chunk_rows_span(&rows, &known.start_ms, &known.end_ms);
    if (known.end_ms < listing->start_ms || known.start_ms >= listing->end_ms)
        return 0;
    r = add_target(listing, &known, &listed);
    return r < 0 ? r
                 : add_columns(listing, target->layout->bytes, target->layout->n_bytes,
                               &listed->target);
}

static int compare_targets(const void *a, const void *b)
{
    return strcmp(((const struct history_target *)a)->key, ((const struct history_target *)b)->key);
}

static int take_targets(struct listing *listing, struct history_targets **ret_targets)
{
    AUTO(history_targets) struct history_targets *targets = calloc(1, sizeof(*targets));
    struct listed *listed, *next;

    if (!targets)
        return -ENOMEM;
    targets->targets = calloc(HASH_COUNT(listing->targets) + 1, sizeof(*targets->targets));
    if (!targets->targets)
        return -ENOMEM;
    HASH_ITER(hh, listing->targets, listed, next) {
        targets->targets[targets->n_targets++] = listed->target;
        HASH_DEL(listing->targets, listed);
        free(listed);
    }
    targets->is_cut = listing->is_cut;
    qsort(targets->targets, targets->n_targets, sizeof(*targets->targets), compare_targets);
    *ret_targets = TAKE(targets);
    return 0;
}

int history_store_targets(struct history_store *store, uint64_t start_ns, uint64_t end_ns,
                          struct history_targets **ret_targets)
{
    struct listing listing = {.start_ms = start_ns / NS_PER_MS,
                              .end_ms = (end_ns < INT64_MAX ? end_ns : INT64_MAX) / NS_PER_MS};
    struct database *databases[2];
    const size_t n = vault_readable(&store->past, databases);
    int r = 0;

    for (size_t i = 0; i < n && r != -ENOMEM; i++) {
        bool has = false;

        r = has_chunks(databases[i], &listing, &has);
        if (r == 0 && has)
            r = list_database(databases[i], &listing);
        if (r < 0)
            vault_failed(&store->past, databases[i], r);
    }
    if (r != -ENOMEM)
        r = recorder_each(&store->recorder, NULL, list_open, &listing);
    if (r == 0)
        r = take_targets(&listing, ret_targets);
    listing_done(&listing);
    return r;
}
