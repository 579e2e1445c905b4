/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What was kept in memory goes to the disk when that comes back, and keeps its numbers, since a run
 * may go on meanwhile, and whoever made a mark knows its number. So memory begins with numbers that
 * the disk does not have: the milliseconds of the time of day. Only where a clock was set back may
 * one be taken; then the disk gives another.
 * A run that began on the disk and ended in memory has the number and the start that the disk
 * knows, and replaces what is there.
 */
#include <stdio.h>

#include "base/clock.h"
#include "history/store.h"

int runs_move(struct database *from, struct database *to)
{
    int r = database_run(to, "BEGIN IMMEDIATE");

    if (r == 0)
        r = database_copy(
            from, "SELECT id, time, text FROM marks ORDER BY id", to,
            "INSERT INTO marks(id, time, text)"
            " VALUES (iif(EXISTS (SELECT 1 FROM marks WHERE id = ?1), NULL, ?1), ?2, ?3)");
    if (r == 0)
        r = database_copy(
            from, "SELECT id, start, end, title, notes, meta, size, data FROM runs ORDER BY id", to,
            "INSERT OR REPLACE INTO runs(id, start, end, title, notes, meta, size, data)"
            " VALUES (iif(EXISTS (SELECT 1 FROM runs WHERE id = ?1 AND start != ?2), NULL, ?1),"
            " ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    if (r == 0)
        r = database_run(to, "COMMIT");
    return r;
}

int runs_begin_numbers(struct database *memory)
{
    const unsigned long long last = clock_realtime_ns() / 1000000;
    char statement[128];

    (void)snprintf(statement, sizeof(statement),
                   "INSERT INTO sqlite_sequence(name, seq) VALUES ('runs', %llu), ('marks', %llu)",
                   last, last);
    return database_run(memory, statement);
}
