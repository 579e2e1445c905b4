/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "history/store.h"

static const char *const tables[] = {"marks", "runs", NULL};

const struct database_kind runs_kind = {
    .name = "runs.sqlite",
    .version = 1,
    .schema = "CREATE TABLE marks(id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL,"
              " text TEXT NOT NULL);"
              "CREATE INDEX marks_by_time ON marks(time);"
              "CREATE TABLE runs(id INTEGER PRIMARY KEY AUTOINCREMENT, start INTEGER NOT NULL,"
              " end INTEGER NOT NULL, title TEXT NOT NULL, notes TEXT NOT NULL,"
              " meta TEXT NOT NULL, size INTEGER NOT NULL, data BLOB NOT NULL)",
    .tables = tables,
    .begin_numbers = runs_begin_numbers,
};

struct run_write {
    const struct history_run *run;
    struct text blob;
    uint64_t id;             /* of a run that is inserted; 0: it is given one */
    uint64_t most_in_memory; /* bytes of all runs, where they are in memory */
};

static uint64_t most_bytes(struct database *database, const struct run_write *write)
{
    const char *file = sqlite3_db_filename(database->handle, "main");

    return file && *file ? HISTORY_RUNS_BYTES_MAX : write->most_in_memory;
}

/* What would be too much is refused: -EDQUOT becomes -ENOSPC on the way out. */
static int check_room(struct database *database, const struct run_write *write)
{
    uint64_t n = 0, bytes = 0;
    int r = database_ask(database, "SELECT count(*) FROM runs", &n);

    if (r == 0)
        r = database_ask(database, "SELECT coalesce(sum(length(data)), 0) FROM runs", &bytes);
    if (r < 0)
        return r;
    return n >= HISTORY_RUNS_MAX || bytes + write->blob.length > most_bytes(database, write)
               ? -EDQUOT
               : 0;
}

static void bind_string(sqlite3_stmt *statement, int place, const char *string)
{
    (void)sqlite3_bind_text(statement, place, string ? string : "", -1, SQLITE_STATIC);
}

static void bind_run(sqlite3_stmt *statement, const struct run_write *write)
{
    const struct history_run *run = write->run;

    (void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)run->start_ns);
    (void)sqlite3_bind_int64(statement, 2, (sqlite3_int64)run->end_ns);
    bind_string(statement, 3, run->title);
    bind_string(statement, 4, run->notes);
    bind_string(statement, 5, run->meta);
    (void)sqlite3_bind_int64(statement, 6, (sqlite3_int64)run->data_bytes);
    (void)sqlite3_bind_blob64(statement, 7, write->blob.data ? write->blob.data : "",
                              write->blob.length, SQLITE_STATIC);
}

static int insert_run(struct database *database, void *context)
{
    struct run_write *write = context;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int r = check_room(database, write);

    if (r == 0)
        r = database_prepare(database,
                             "INSERT INTO runs(start, end, title, notes, meta, size, data, id)"
                             " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                             &statement);
    if (r < 0)
        return r;
    bind_run(statement, write);
    if (write->id)
        (void)sqlite3_bind_int64(statement, 8, (sqlite3_int64)write->id);
    r = database_finish(database, statement);
    write->id = (uint64_t)sqlite3_last_insert_rowid(database->handle);
    return r;
}

static int update_run(struct database *database, void *context)
{
    struct run_write *write = context;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int r = write->run->data ? check_room(database, write) : 0;

    if (r == 0)
        r = database_prepare(database,
                             write->run->data
                                 ? "UPDATE runs SET start = ?, end = ?, title = ?, notes = ?,"
                                   " meta = ?, size = ?, data = ? WHERE id = ?8"
                                 : "UPDATE runs SET start = ?, end = ?, title = ?, notes = ?,"
                                   " meta = ? WHERE id = ?8",
                             &statement);
    if (r < 0)
        return r;
    bind_run(statement, write);
    (void)sqlite3_bind_int64(statement, 8, (sqlite3_int64)write->run->id);
    r = database_finish(database, statement);
    return r == 0 && sqlite3_changes(database->handle) == 0 ? -ENOENT : r;
}

/* id: in, and out, that of an inserted run; NULL: it is not wanted. */
static int write_run(struct history_store *store, const struct history_run *run,
                     int (*write_one)(struct database *database, void *context), uint64_t *id)
{
    struct run_write write = {
        .run = run, .id = id ? *id : 0, .most_in_memory = history_most_in_memory(store)};
    int r = run->data_bytes > HISTORY_RUN_BYTES_MAX ? -EFBIG : 0;

    if (r == 0 && run->data)
        r = chunk_compress(run->data, run->data_bytes, &write.blob);
    if (r == 0)
        r = vault_write(&store->runs, write_one, &write);
    text_done(&write.blob);
    if (r == 0 && id)
        *id = write.id;
    return r == -EDQUOT ? -ENOSPC : r;
}

int history_store_add_run(struct history_store *store, const struct history_run *run,
                          uint64_t *ret_id)
{
    uint64_t id = 0;
    const int r = write_run(store, run, insert_run, &id);

    if (r == 0)
        *ret_id = id;
    return r;
}

int history_store_update_run(struct history_store *store, const struct history_run *run)
{
    return write_run(store, run, update_run, NULL);
}

int history_store_complete_run(struct history_store *store, const struct history_run *run)
{
    const int r = history_store_update_run(store, run);
    uint64_t id = run->id;

    if (r == 0 || !store->runs.disk.path || !vault_is_in_memory(&store->runs))
        return r;
    return write_run(store, run, insert_run, &id); /* memory does not have it yet */
}

struct history_runs *history_runs_free(struct history_runs *runs)
{
    if (!runs)
        return NULL;
    for (size_t i = 0; i < runs->n_runs; i++) {
        free(runs->runs[i].title);
        free(runs->runs[i].notes);
        free(runs->runs[i].meta);
        free(runs->runs[i].data);
    }
    free(runs->runs);
    free(runs);
    return NULL;
}

static char *copy_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);

    return strdup(text ? text : "");
}

static int read_data(sqlite3_stmt *statement, struct history_run *run)
{
    AUTO_TEXT struct text data = {0};
    const size_t length = (size_t)sqlite3_column_bytes(statement, 7);
    const void *blob = sqlite3_column_blob(statement, 7);
    int r = 0;

    if (blob && length > 0)
        r = chunk_decompress(blob, length, HISTORY_RUN_BYTES_MAX, &data);
    if (r < 0)
        return r;
    run->data_bytes = data.length;
    text_append_char(&data, '\0');
    run->data = text_error(&data) == 0 ? TAKE(data.data) : NULL;
    return run->data ? 0 : -ENOMEM;
}

static int take_run(sqlite3_stmt *statement, struct history_runs *runs, bool with_data)
{
    struct history_run *all = reallocarray(runs->runs, runs->n_runs + 1, sizeof(*all));
    struct history_run *run;

    if (!all)
        return -ENOMEM;
    runs->runs = all;
    run = &all[runs->n_runs++];
    *run = (struct history_run){
        .id = (uint64_t)sqlite3_column_int64(statement, 0),
        .start_ns = (uint64_t)sqlite3_column_int64(statement, 1),
        .end_ns = (uint64_t)sqlite3_column_int64(statement, 2),
        .title = copy_text(statement, 3),
        .notes = copy_text(statement, 4),
        .meta = copy_text(statement, 5),
        .data_bytes = (size_t)sqlite3_column_int64(statement, 6),
    };
    if (!run->title || !run->notes || !run->meta)
        return -ENOMEM;
    return with_data ? read_data(statement, run) : 0;
}

#define RUN_COLUMNS "SELECT id, start, end, title, notes, meta, size"

/* id 0: all runs. */
static int read_runs(struct database *database, uint64_t id, struct history_runs *runs)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int result = SQLITE_DONE, r = database_prepare(database,
                                                   id ? RUN_COLUMNS ", data FROM runs WHERE id = ?"
                                                      : RUN_COLUMNS " FROM runs ORDER BY id DESC",
                                                   &statement);

    if (r < 0)
        return r;
    if (id)
        (void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
    while (r == 0 && (result = sqlite3_step(statement)) == SQLITE_ROW)
        r = take_run(statement, runs, id != 0);
    return r < 0 ? r : database_error(result);
}

static int find_runs(struct history_store *store, uint64_t id, struct history_runs **ret_runs)
{
    AUTO(history_runs) struct history_runs *runs = calloc(1, sizeof(*runs));
    struct database *database = vault_writable(&store->runs);
    int r = runs && database ? read_runs(database, id, runs) : -ENOMEM;

    if (r < 0) {
        if (r != -ENOMEM && (r != -EBADMSG || runs->n_runs == 0))
            vault_failed(&store->runs, database, r);
        return r;
    }
    *ret_runs = TAKE(runs);
    return 0;
}

int history_store_list_runs(struct history_store *store, struct history_runs **ret_runs)
{
    return find_runs(store, 0, ret_runs);
}

int history_store_get_run(struct history_store *store, uint64_t id, struct history_runs **ret_runs)
{
    AUTO(history_runs) struct history_runs *runs = NULL;
    int r = id && id <= INT64_MAX ? find_runs(store, id, &runs) : -ENOENT;

    if (r == 0 && runs->n_runs == 0)
        r = -ENOENT;
    if (r == 0)
        *ret_runs = TAKE(runs);
    return r;
}

static int delete_run(struct database *database, void *context)
{
    return database_delete(database, "DELETE FROM runs WHERE id = ?1", *(const uint64_t *)context);
}

int history_store_delete_run(struct history_store *store, uint64_t id)
{
    return vault_write(&store->runs, delete_run, &id);
}
