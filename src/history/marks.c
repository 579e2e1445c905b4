/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "history/store.h"

struct mark_write {
    uint64_t time_ns, id;
    const char *text;
};

static int delete_oldest(struct database *database)
{
    int r = database_run_with(database,
                              "DELETE FROM marks WHERE id IN"
                              " (SELECT id FROM marks ORDER BY time DESC LIMIT -1 OFFSET ?1)",
                              HISTORY_MARKS_MAX - 1);

    return r < 0 ? r : 0;
}

static int insert_mark(struct database *database, void *context)
{
    struct mark_write *mark = context;
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int r = delete_oldest(database);

    if (r == 0)
        r = database_prepare(database, "INSERT INTO marks(time, text) VALUES (?, ?)", &statement);
    if (r < 0)
        return r;
    (void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)mark->time_ns);
    (void)sqlite3_bind_text(statement, 2, mark->text, -1, SQLITE_STATIC);
    r = database_finish(database, statement);
    mark->id = (uint64_t)sqlite3_last_insert_rowid(database->handle);
    return r;
}

int history_store_add_mark(struct history_store *store, uint64_t time_ns, const char *text,
                           uint64_t *ret_id)
{
    struct mark_write mark = {.time_ns = time_ns, .text = text};
    int r;

    if (!*text || strlen(text) > HISTORY_MARK_TEXT_MAX || time_ns > INT64_MAX)
        return -EINVAL;
    r = vault_write(&store->runs, insert_mark, &mark);
    if (r == 0)
        *ret_id = mark.id;
    return r;
}

static int delete_mark(struct database *database, void *context)
{
    return database_delete(database, "DELETE FROM marks WHERE id = ?1", *(const uint64_t *)context);
}

int history_store_delete_mark(struct history_store *store, uint64_t id)
{
    return vault_write(&store->runs, delete_mark, &id);
}

struct history_marks *history_marks_free(struct history_marks *marks)
{
    if (!marks)
        return NULL;
    for (size_t i = 0; i < marks->n_marks; i++)
        free(marks->marks[i].text);
    free(marks->marks);
    free(marks);
    return NULL;
}

static int take_mark(sqlite3_stmt *statement, struct history_marks *marks)
{
    const char *text = (const char *)sqlite3_column_text(statement, 2);
    struct history_mark *all = reallocarray(marks->marks, marks->n_marks + 1, sizeof(*all));

    if (!all)
        return -ENOMEM;
    marks->marks = all;
    all[marks->n_marks] = (struct history_mark){
        .id = (uint64_t)sqlite3_column_int64(statement, 0),
        .time_ns = (uint64_t)sqlite3_column_int64(statement, 1),
        .text = strdup(text ? text : ""),
    };
    return all[marks->n_marks++].text ? 0 : -ENOMEM;
}

static int read_marks(struct database *database, uint64_t start_ns, uint64_t end_ns,
                      struct history_marks *marks)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int result = SQLITE_DONE,
        r = database_prepare(database,
                             "SELECT id, time, text FROM marks"
                             " WHERE time >= ? AND time < ? ORDER BY time, id",
                             &statement);

    if (r < 0)
        return r;
    (void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)start_ns);
    (void)sqlite3_bind_int64(statement, 2,
                             (sqlite3_int64)(end_ns < INT64_MAX ? end_ns : INT64_MAX));
    while (r == 0 && (result = sqlite3_step(statement)) == SQLITE_ROW)
        r = take_mark(statement, marks);
    return r < 0 ? r : database_error(result);
}

int history_store_list_marks(struct history_store *store, uint64_t start_ns, uint64_t end_ns,
                             struct history_marks **ret_marks)
{
    AUTO(history_marks) struct history_marks *marks = calloc(1, sizeof(*marks));
    struct database *database = vault_writable(&store->runs);
    int r = marks && database && start_ns <= INT64_MAX
                ? read_marks(database, start_ns, end_ns, marks)
                : -ENOMEM;

    if (r < 0) {
        if (r != -ENOMEM)
            vault_failed(&store->runs, database, r);
        return r;
    }
    *ret_marks = TAKE(marks);
    return 0;
}
