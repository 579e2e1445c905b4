/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "history/store.h"

static const char *const tables[] = {"profiles", NULL};

const struct database_kind profiles_kind = {
    .name = "profiles.sqlite",
    .version = 1,
    .schema = "CREATE TABLE profiles(id INTEGER PRIMARY KEY AUTOINCREMENT, start INTEGER NOT NULL,"
              " end INTEGER NOT NULL, data BLOB NOT NULL);"
              "CREATE INDEX profiles_by_start ON profiles(start)",
    .tables = tables,
};

#define INSERT "INSERT INTO profiles(start, end, data) VALUES (?, ?, ?)"
#define DELETE "DELETE FROM profiles WHERE start >= ?1 AND end <= ?2"

/* An hour that was made in memory replaces the minutes that the disk has of it. */
int profiles_move(struct database *from, struct database *to)
{
    int r = database_run(to, "BEGIN IMMEDIATE");

    if (r == 0)
        r = database_copy(from, "SELECT start, end FROM profiles", to, DELETE);
    if (r == 0)
        r = database_copy(from, "SELECT start, end, data FROM profiles ORDER BY id", to, INSERT);
    if (r == 0)
        r = database_run(to, "COMMIT");
    return r;
}

struct profiles_write {
    const struct history_profiles *profiles;
    struct text blob;
    uint64_t most; /* bytes of all of them */
    uint32_t oldest;
};

/* Runs a statement of the minutes and, if it takes them, of the bytes. */
static int run(struct database *database, const char *query, const struct profiles_write *write)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int r = database_prepare(database, query, &statement);

    if (r < 0)
        return r;
    (void)sqlite3_bind_int64(statement, 1, write->profiles->minute);
    (void)sqlite3_bind_int64(statement, 2, write->profiles->end);
    if (sqlite3_bind_parameter_count(statement) > 2)
        (void)sqlite3_bind_blob64(statement, 3, write->blob.data, write->blob.length,
                                  SQLITE_STATIC);
    return database_finish(database, statement);
}

/* What is too old goes, and of the rest the oldest as long as there is too much. */
static int drop_old(struct database *database, const struct profiles_write *write)
{
    uint64_t bytes = 0;
    int r = database_run_with(database, "DELETE FROM profiles WHERE end <= ?1", write->oldest);

    while (r >= 0) {
        r = database_ask(database, "SELECT coalesce(sum(length(data)), 0) FROM profiles", &bytes);
        if (r < 0 || bytes <= write->most)
            return r;
        r = database_run_with(database,
                              "DELETE FROM profiles WHERE id IN"
                              " (SELECT id FROM profiles ORDER BY start LIMIT ?1)",
                              1);
    }
    return r;
}

static int write_profiles(struct database *database, void *context)
{
    const struct profiles_write *write = context;
    int r = run(database, DELETE, write);

    if (r == 0)
        r = run(database, INSERT, write);
    return r == 0 ? drop_old(database, write) : r;
}

static uint64_t most_bytes(const struct history_store *store)
{
    return history_limit_bytes(store, &store->profiles) / HISTORY_PROFILES_SHARE;
}

/* Where the disk fails the second try is in memory. */
static int write_once(struct history_store *store, struct profiles_write *write)
{
    write->most = most_bytes(store);
    return vault_write(&store->profiles, write_profiles, write);
}

int history_store_add_profiles(struct history_store *store, const struct history_profiles *profiles,
                               uint32_t oldest)
{
    struct profiles_write write = {.profiles = profiles, .oldest = oldest};
    int r;

    if (!store->profiles.disk.path)
        return 0;
    if (profiles->bytes > HISTORY_PROFILES_BYTES_MAX)
        return -EFBIG;
    vault_check(&store->profiles);
    r = chunk_compress(profiles->data, profiles->bytes, &write.blob);
    if (r == 0) {
        r = write_once(store, &write);
        if (r < 0)
            r = write_once(store, &write);
    }
    text_done(&write.blob);
    return r;
}

static int take_row(struct history_store *store, sqlite3_stmt *statement, uint64_t *id,
                    struct history_profiles *ret_profiles, struct text *ret_bytes)
{
    int r;

    *id = (uint64_t)sqlite3_column_int64(statement, 0);
    *ret_profiles = (struct history_profiles){
        .minute = (uint32_t)sqlite3_column_int64(statement, 1),
        .end = (uint32_t)sqlite3_column_int64(statement, 2),
    };
    r = chunk_decompress(sqlite3_column_blob(statement, 3),
                         (size_t)sqlite3_column_bytes(statement, 3), HISTORY_PROFILES_BYTES_MAX,
                         ret_bytes);
    store->n_damaged += r == -EBADMSG;
    return r;
}

/* The disk alone is read: what is in memory is of this run. */
int history_store_next_profiles(struct history_store *store, uint64_t *id,
                                struct history_profiles *ret_profiles, struct text *ret_bytes)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    struct database *const disk = &store->profiles.disk;
    int result, r;

    vault_check(&store->profiles);
    if (!disk->handle)
        return -ENOENT;
    r = database_prepare(disk,
                         "SELECT id, start, end, data FROM profiles WHERE id > ?1"
                         " ORDER BY id LIMIT 1",
                         &statement);
    if (r == 0) {
        (void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)*id);
        result = sqlite3_step(statement);
        if (result == SQLITE_ROW)
            return take_row(store, statement, id, ret_profiles, ret_bytes);
        r = result == SQLITE_DONE ? -ENOENT : database_error(result);
    }
    if (r != -ENOENT) {
        (void)sqlite3_finalize(TAKE(statement));
        vault_failed(&store->profiles, disk, r);
    }
    return r;
}
