/* SPDX-License-Identifier: Apache-2.0 */

/* What was kept in memory goes to the disk when that comes back. It gets other numbers there. */
#include "history/store.h"

static int copy(struct database *from, const char *query, struct database *to, const char *insert)
{
    AUTO_STATEMENT sqlite3_stmt *read = NULL, *write = NULL;
    int result = SQLITE_DONE, r = database_prepare(from, query, &read);

    if (r == 0)
        r = database_prepare(to, insert, &write);
    if (r < 0)
        return r;
    while (r == 0 && (result = sqlite3_step(read)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(read); i++)
            (void)sqlite3_bind_value(write, i + 1, sqlite3_column_value(read, i));
        r = database_finish(to, write);
    }
    return r < 0 ? r : database_error(result);
}

int runs_move(struct database *from, struct database *to)
{
    int r = database_run(to, "BEGIN IMMEDIATE");

    if (r == 0)
        r = copy(from, "SELECT time, text FROM marks ORDER BY id", to,
                 "INSERT INTO marks(time, text) VALUES (?, ?)");
    if (r == 0)
        r = copy(from, "SELECT start, end, title, notes, meta, size, data FROM runs ORDER BY id",
                 to,
                 "INSERT INTO runs(start, end, title, notes, meta, size, data)"
                 " VALUES (?, ?, ?, ?, ?, ?, ?)");
    if (r == 0)
        r = database_run(to, "COMMIT");
    return r;
}
