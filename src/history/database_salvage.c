/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What can be read of a damaged file. Each table is read from its beginning until a page is not
 * readable, and then from its end. Chunks and the data of runs have checksums of their own, so what
 * is copied here and wrong all the same is found when it is read.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "history/database.h"

static void copy_row(sqlite3_stmt *from, sqlite3_stmt *to)
{
    for (int i = 0; i < sqlite3_column_count(from); i++)
        (void)sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
    (void)sqlite3_step(to);
    (void)sqlite3_reset(to);
}

/* INSERT OR IGNORE INTO table VALUES (?, …). NULL: the table cannot be read at all. */
static char *insertion(const char *table, int n_columns)
{
    AUTO_TEXT struct text text = {0};

    text_append_format(&text, "INSERT OR IGNORE INTO main.%s VALUES (", table);
    for (int i = 0; i < n_columns; i++)
        text_append_string(&text, i == 0 ? "?" : ",?");
    text_append_string(&text, ")");
    return text_take(&text);
}

/* Returns whether all rows could be read. */
static bool copy_rows(struct database *database, const char *table, const char *order)
{
    AUTO_STATEMENT sqlite3_stmt *from = NULL, *to = NULL;
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *query = NULL, *insert = NULL;
    int result;

    text_append_format(&text, "SELECT * FROM old.%s ORDER BY rowid %s", table, order);
    query = text_take(&text);
    if (!query || database_prepare(database, query, &from) < 0)
        return false;
    insert = insertion(table, sqlite3_column_count(from));
    if (!insert || database_prepare(database, insert, &to) < 0)
        return false;
    while ((result = sqlite3_step(from)) == SQLITE_ROW)
        copy_row(from, to);
    return result == SQLITE_DONE;
}

void database_salvage(struct database *database)
{
    AUTO_STATEMENT sqlite3_stmt *attach = NULL;
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = NULL;

    text_append_format(&text, "%s.set-aside", database->path);
    path = text_take(&text);
    if (!path || database_prepare(database, "ATTACH ? AS old", &attach) < 0)
        return;
    (void)sqlite3_bind_text(attach, 1, path, -1, SQLITE_STATIC);
    if (database_finish(database, attach) < 0 || database_run(database, "BEGIN") < 0)
        return;
    for (size_t i = 0; database->kind->tables[i]; i++)
        if (!copy_rows(database, database->kind->tables[i], "ASC"))
            (void)copy_rows(database, database->kind->tables[i], "DESC");
    if (database_run(database, "COMMIT") < 0)
        database_roll_back(database);
    (void)database_run(database, "DETACH old");
}
