/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Each snapshot thins out some of what is old: the chunks that one target has within a window of
 * time become one chunk of the next level, in one transaction. What is oldest comes first. If more
 * is kept than the limit allows, the oldest is thinned out before its time, and what is on the last
 * level is deleted. A target is forgotten with the last of its chunks.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "history/store.h"
#include "history/thinning.h"

#define DELETED_ONCE 16 /* chunks of the last level that go at once */

/*
 * The most that a snapshot does for each second of the interval: windows thinned out because of
 * their age, deletions because of it, and either of them because of the limit.
 */
#define WINDOWS_STEP 8
#define DELETED_STEP 16
#define REDUCED_STEP 4096

/* Of the last so many are done at once: a question, or the end of the program, waits no longer. */
#define REDUCED_ONCE 256

static const struct {
    uint64_t window_ms; /* chunks of so long a time become one of the next level */
    uint64_t step_ms;   /* with a row for each step */
} next_levels[LEVELS_] = {
    [LEVEL_FULL] = {THINNING_WINDOW_NS / NS_PER_MS, 10000},
    [LEVEL_TEN_SECONDS] = {12 * THINNING_WINDOW_NS / NS_PER_MS, 60000},
};

/* The chunks of a target and a window, while they are joined. */
struct window {
    struct database *database;
    struct history_store *store;
    uint64_t target;
    enum level level;
    uint64_t start_ms, end_ms;
    /* The rows of the chunks so far, as far as they follow each other, and whose they are. */
    struct chunk_rows rows;
    struct text key, kind, labels, layout;
    int error;
};

static void window_done(struct window *window)
{
    chunk_rows_done(&window->rows);
    text_done(&window->key);
    text_done(&window->kind);
    text_done(&window->labels);
    text_done(&window->layout);
}

/* What has only a beginning and an end loses nothing on the last level. */
static enum level level_of(const struct chunk_rows *rows, enum level next)
{
    return rows->n_rows <= 2 ? LEVEL_MINUTES : next;
}

/* Stores the rows so far as a chunk of the next level. */
static int store_rows(struct window *window)
{
    AUTO_CHUNK_ROWS struct chunk_rows thin = {0};
    AUTO_TEXT struct text blob = {0};
    struct chunk_row row = {.key = window->key.data,
                            .kind = window->kind.data,
                            .labels = window->labels.data,
                            .labels_length = window->labels.length,
                            .layout = window->layout.data,
                            .layout_length = window->layout.length};
    int r;

    if (window->rows.n_rows == 0)
        return 0;
    r = thinning_thin(&window->rows, next_levels[window->level].step_ms, &thin);
    if (r == 0)
        r = chunk_encode(&thin, &blob);
    if (r < 0)
        return r;
    row.level = level_of(&thin, window->level + 1);
    row.blob = blob.data;
    row.blob_length = blob.length;
    chunk_rows_span(&thin, &row.start_ms, &row.end_ms);
    chunk_rows_done(&window->rows);
    return chunk_table_insert(window->database, &row);
}

static void set_string(struct text *text, const void *bytes, size_t length)
{
    text_clear(text);
    text_append(text, bytes, length);
}

static int begin_rows(struct window *window, const struct chunk_row *row, struct chunk_rows *rows)
{
    set_string(&window->key, row->key, strlen(row->key) + 1);
    set_string(&window->kind, row->kind, strlen(row->kind) + 1);
    set_string(&window->labels, row->labels, row->labels_length);
    set_string(&window->layout, row->layout, row->layout_length);
    window->rows = *rows;
    *rows = (struct chunk_rows){0};
    return text_error(&window->key) < 0 || text_error(&window->kind) < 0 ||
                   text_error(&window->labels) < 0 || text_error(&window->layout) < 0
               ? -ENOMEM
               : 0;
}

/* Joins a chunk to those before; what does not follow them begins anew. */
static int join(struct window *window, const struct chunk_row *row, struct chunk_rows *rows)
{
    const bool same_layout = window->layout.length == row->layout_length &&
                             memcmp(window->layout.data ? window->layout.data : "", row->layout,
                                    row->layout_length) == 0;
    int r = 0;

    if (window->rows.n_rows > 0 && same_layout)
        r = thinning_join(&window->rows, rows);
    if (r != 0)
        return r < 0 ? r : 0;
    r = store_rows(window);
    return r == 0 ? begin_rows(window, row, rows) : r;
}

/* A chunk that is damaged is deleted with the others. */
static int take_chunk(struct window *window, const struct chunk_row *row)
{
    AUTO_CHUNK_ROWS struct chunk_rows rows = {0};
    AUTO(layout) struct layout *layout = NULL;
    int r = layout_parse(row->layout, row->layout_length, &layout);

    if (r == 0)
        r = chunk_decode(row->blob, row->blob_length, layout->n_totals, &rows);
    if (r == -EBADMSG) {
        window->store->n_damaged++;
        return 0;
    }
    return r == 0 ? join(window, row, &rows) : r;
}

/* Whether one of the windows is that of a chunk: chunks belong where they end. */
static int visit_chunk(const struct chunk_row *row, uint64_t id, void *context)
{
    struct window *window = context;
    int r;

    if (row->level != window->level || row->end_ms < window->start_ms ||
        row->end_ms >= window->end_ms)
        return 0;
    r = take_chunk(window, row);
    return r == 0 ? chunk_table_delete(window->database, id) : r;
}

static int key_of(struct database *database, uint64_t target, struct text *key)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int r = database_prepare(database, "SELECT key FROM targets WHERE id = ?", &statement);

    if (r < 0)
        return r;
    (void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)target);
    if (sqlite3_step(statement) != SQLITE_ROW)
        return -EBADMSG;
    text_append_string(key, (const char *)sqlite3_column_text(statement, 0));
    text_append_char(key, '\0');
    return text_error(key);
}

static int thin_window(struct database *database, void *context)
{
    struct window *window = context;
    AUTO_TEXT struct text key = {0};
    int r = key_of(database, window->target, &key);

    window->database = database;
    if (r == 0)
        r = chunk_table_each(database, key.data, window->start_ms, window->end_ms, visit_chunk,
                             window);
    if (r == 0)
        r = store_rows(window);
    return r == 0 ? chunk_table_forget(database, window->target) : r;
}

/* The oldest chunk of a level. Returns 1; 0: there is none; or -errno. */
static int oldest(struct database *database, enum level level, uint64_t *ret_id,
                  uint64_t *ret_target, uint64_t *ret_end_ms)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int result = SQLITE_DONE,
        r = database_prepare(database,
                             "SELECT id, target, end FROM chunks WHERE level = ?"
                             " ORDER BY end LIMIT 1",
                             &statement);

    if (r < 0)
        return r;
    (void)sqlite3_bind_int(statement, 1, (int)level);
    result = sqlite3_step(statement);
    if (result != SQLITE_ROW)
        return database_error(result);
    *ret_id = (uint64_t)sqlite3_column_int64(statement, 0);
    *ret_target = (uint64_t)sqlite3_column_int64(statement, 1);
    *ret_end_ms = (uint64_t)sqlite3_column_int64(statement, 2);
    return 1;
}

/* Deletes some of the oldest chunks of the last level. */
static int delete_oldest(struct database *database, void *context)
{
    const uint64_t *before_ms = context;
    int r = 0;

    for (unsigned i = 0; i < DELETED_ONCE && r == 0; i++) {
        uint64_t id, target, end_ms;

        r = oldest(database, LEVEL_MINUTES, &id, &target, &end_ms);
        if (r <= 0 || end_ms >= *before_ms)
            break;
        r = chunk_table_delete(database, id);
        if (r == 0)
            r = chunk_table_forget(database, target);
    }
    return r < 0 ? r : 0;
}

static int thin_oldest(struct history_store *store, enum level level, uint64_t target,
                       uint64_t end_ms)
{
    const uint64_t length = next_levels[level].window_ms, start = end_ms / length * length;
    struct window window = {.store = store,
                            .target = target,
                            .level = level,
                            .start_ms = start,
                            .end_ms = start + length};
    int r = vault_write(&store->past, thin_window, &window);

    window_done(&window);
    return r;
}

/* Thins out the oldest of a level, or deletes it on the last. 1: done; 0: nothing is there. */
static int reduce(struct history_store *store, enum level level, uint64_t before_ms)
{
    struct database *database = vault_writable(&store->past);
    uint64_t id, target, end_ms, window_ms = next_levels[level].window_ms;
    int r = database ? oldest(database, level, &id, &target, &end_ms) : -ENOMEM;

    if (r <= 0)
        return r;
    if (window_ms && end_ms / window_ms * window_ms + window_ms > before_ms)
        return 0; /* the window is not over, or not old enough as a whole */
    if (end_ms >= before_ms)
        return 0;
    if (level + 1 < LEVELS_)
        r = thin_oldest(store, level, target, end_ms);
    else
        r = vault_write(&store->past, delete_oldest, &before_ms);
    return r < 0 ? r : 1;
}

/* Returns whether there was anything to do. */
static bool reduce_all(struct history_store *store, enum level level, uint64_t before_ms,
                       unsigned most)
{
    unsigned n = 0;

    while (n < most && reduce(store, level, before_ms) > 0)
        n++;
    return n > 0;
}

static uint64_t before(uint64_t now_ms, uint64_t age_ns)
{
    return now_ms > age_ns / NS_PER_MS ? now_ms - age_ns / NS_PER_MS : 0;
}

/* What is oldest is on the last level that has anything. */
static int reduce_oldest(struct history_store *store)
{
    for (enum level level = LEVELS_; level-- > LEVEL_FULL;) {
        const int r = reduce(store, level, UINT64_MAX);

        if (r != 0)
            return r;
    }
    return 0;
}

static bool is_too_much(struct history_store *store)
{
    struct database *database = vault_writable(&store->past);
    uint64_t used = 0;

    return database && database_size(database, &used) == 0 && used > store->status.limit_bytes;
}

bool thinning_go_on(struct history_store *store)
{
    const unsigned most =
        store->reductions_left < REDUCED_ONCE ? store->reductions_left : REDUCED_ONCE;
    unsigned n = 0;

    while (n < most && is_too_much(store) && reduce_oldest(store) > 0)
        n++;
    store->reductions_left = n < most ? 0 : store->reductions_left - n;
    return n > 0;
}

bool thinning_step(struct history_store *store, uint64_t now_ms)
{
    const struct history_limits *limits = &store->limits;
    const unsigned seconds =
        store->interval_ns > NS_PER_SECOND ? (unsigned)(store->interval_ns / NS_PER_SECOND) : 1;
    bool goes_on = reduce_all(store, LEVEL_MINUTES, before(now_ms, limits->minutes_ns),
                              seconds * DELETED_STEP);

    goes_on |= reduce_all(store, LEVEL_TEN_SECONDS, before(now_ms, limits->ten_seconds_ns),
                          seconds * WINDOWS_STEP);
    goes_on |=
        reduce_all(store, LEVEL_FULL, before(now_ms, limits->full_ns), seconds * WINDOWS_STEP);
    store->reductions_left = seconds * REDUCED_STEP;
    goes_on |= thinning_go_on(store);
    return goes_on;
}
