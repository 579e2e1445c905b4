/* SPDX-License-Identifier: Apache-2.0 */
#include "history/chunk_table.h"

#include <errno.h>
#include <string.h>

static const char *const tables[] = {"targets", "layouts", "chunks", NULL};

const struct database_kind chunk_table_kind = {
    .name = "history.sqlite",
    .version = 1,
    .schema = "CREATE TABLE targets(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,"
              " kind TEXT NOT NULL, labels BLOB NOT NULL);"
              "CREATE TABLE layouts(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL UNIQUE);"
              "CREATE TABLE chunks(id INTEGER PRIMARY KEY, target INTEGER NOT NULL,"
              " layout INTEGER NOT NULL, level INTEGER NOT NULL, start INTEGER NOT NULL,"
              " end INTEGER NOT NULL, data BLOB NOT NULL);"
              "CREATE INDEX chunks_by_target ON chunks(target, end, start, layout);"
              "CREATE INDEX chunks_by_age ON chunks(level, end)",
    .indices = "CREATE INDEX IF NOT EXISTS chunks_by_length ON chunks(end) WHERE " CHUNK_IS_LONG,
    .tables = tables,
};

static int insert_chunk(struct database *database, const struct chunk_row *row)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int r = database_prepare(database,
                             "INSERT INTO chunks(target, layout, level, start, end, data)"
                             " SELECT t.id, l.id, ?3, ?4, ?5, ?6 FROM targets t, layouts l"
                             " WHERE t.key = ?1 AND l.bytes = ?2",
                             &statement);

    if (r < 0)
        return r;
    (void)sqlite3_bind_text(statement, 1, row->key, -1, SQLITE_STATIC);
    (void)sqlite3_bind_blob64(statement, 2, row->layout, row->layout_length, SQLITE_STATIC);
    (void)sqlite3_bind_int(statement, 3, (int)row->level);
    (void)sqlite3_bind_int64(statement, 4, (sqlite3_int64)row->start_ms);
    (void)sqlite3_bind_int64(statement, 5, (sqlite3_int64)row->end_ms);
    (void)sqlite3_bind_blob64(statement, 6, row->blob, row->blob_length, SQLITE_STATIC);
    r = database_finish(database, statement);
    return r < 0 ? r : sqlite3_changes(database->handle);
}

static int insert_target(struct database *database, const struct chunk_row *row)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int r = database_prepare(
        database, "INSERT OR IGNORE INTO targets(key, kind, labels) VALUES (?, ?, ?)", &statement);

    if (r < 0)
        return r;
    (void)sqlite3_bind_text(statement, 1, row->key, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 2, row->kind, -1, SQLITE_STATIC);
    (void)sqlite3_bind_blob64(statement, 3, row->labels ? row->labels : "", row->labels_length,
                              SQLITE_STATIC);
    return database_finish(database, statement);
}

static int insert_layout(struct database *database, const struct chunk_row *row)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int r =
        database_prepare(database, "INSERT OR IGNORE INTO layouts(bytes) VALUES (?)", &statement);

    if (r < 0)
        return r;
    (void)sqlite3_bind_blob64(statement, 1, row->layout, row->layout_length, SQLITE_STATIC);
    return database_finish(database, statement);
}

int chunk_table_insert(struct database *database, const struct chunk_row *row)
{
    int r = insert_chunk(database, row);

    if (r != 0)
        return r < 0 ? r : 0;
    r = insert_target(database, row);
    if (r == 0)
        r = insert_layout(database, row);
    if (r == 0)
        r = insert_chunk(database, row);
    return r > 0 ? 0 : r < 0 ? r : -EBADMSG;
}

/* The columns of each query that visits chunks. */
#define CHUNK_COLUMNS "c.id, t.key, t.kind, t.labels, l.bytes, c.data, c.level, c.start, c.end"
#define CHUNK_JOIN                                                                                 \
    " FROM chunks c JOIN targets t ON t.id = c.target JOIN layouts l ON l.id = c.layout"

static int visit_all(sqlite3_stmt *statement, chunk_visit *visit, void *context)
{
    int result = SQLITE_DONE, r = 0;

    while (r == 0 && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        const struct chunk_row row = {
            .key = (const char *)sqlite3_column_text(statement, 1),
            .kind = (const char *)sqlite3_column_text(statement, 2),
            .labels = sqlite3_column_blob(statement, 3),
            .labels_length = (size_t)sqlite3_column_bytes(statement, 3),
            .layout = sqlite3_column_blob(statement, 4),
            .layout_length = (size_t)sqlite3_column_bytes(statement, 4),
            .blob = sqlite3_column_blob(statement, 5),
            .blob_length = (size_t)sqlite3_column_bytes(statement, 5),
            .level = (enum level)sqlite3_column_int(statement, 6),
            .start_ms = (uint64_t)sqlite3_column_int64(statement, 7),
            .end_ms = (uint64_t)sqlite3_column_int64(statement, 8),
        };

        if (row.key && row.kind && row.blob && row.layout)
            r = visit(&row, (uint64_t)sqlite3_column_int64(statement, 0), context);
    }
    return r < 0 ? r : database_error(result);
}

int chunk_table_each(struct database *database, const char *key, uint64_t start_ms, uint64_t end_ms,
                     chunk_visit *visit, void *context)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int r = database_prepare(database,
                             "SELECT " CHUNK_COLUMNS CHUNK_JOIN
                             " WHERE c.target = (SELECT id FROM targets WHERE key = ?1)"
                             " AND c.end >= ?2 AND c.start < ?3 ORDER BY c.id",
                             &statement);

    if (r < 0)
        return r;
    (void)sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(statement, 2, (sqlite3_int64)start_ms);
    (void)sqlite3_bind_int64(statement, 3, (sqlite3_int64)end_ms);
    return visit_all(statement, visit, context);
}

int chunk_table_all(struct database *database, chunk_visit *visit, void *context)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int r =
        database_prepare(database, "SELECT " CHUNK_COLUMNS CHUNK_JOIN " ORDER BY c.id", &statement);

    return r < 0 ? r : visit_all(statement, visit, context);
}

int chunk_table_delete(struct database *database, uint64_t id)
{
    return database_delete(database, "DELETE FROM chunks WHERE id = ?1", id);
}

int chunk_table_forget(struct database *database, uint64_t target)
{
    int r = database_run_with(database,
                              "DELETE FROM targets WHERE id = ?1"
                              " AND NOT EXISTS (SELECT 1 FROM chunks WHERE target = ?1)",
                              target);

    return r < 0 ? r : 0;
}

static int copy_chunk(const struct chunk_row *row, uint64_t id, void *context)
{
    (void)id;
    return chunk_table_insert(context, row);
}

int chunk_table_move(struct database *from, struct database *to)
{
    int r = database_run(to, "BEGIN IMMEDIATE");

    if (r == 0)
        r = chunk_table_all(from, copy_chunk, to);
    if (r == 0)
        r = database_run(to, "COMMIT");
    return r;
}

int chunk_table_clean(struct database *database)
{
    return database_run(database,
                        "DELETE FROM targets"
                        " WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE target = targets.id);"
                        "DELETE FROM layouts WHERE id NOT IN (SELECT layout FROM chunks)");
}
