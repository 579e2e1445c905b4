/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The file is locked for as long as it is open, so that two exporters never write into one, and no
 * memory is shared beside it. With a write-ahead log what was written stands after kill -9; after a
 * power cut what was written last may be missing, and the rest stands
 * (https://www.sqlite.org/wal.html, https://www.sqlite.org/pragma.html#pragma_synchronous).
 */
#include "history/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "sys/trusted_path.h"

#define APPLICATION_ID 0x706d7568 /* "pmuh" */

/* Small pages: little is lost at the end of a blob. The cache is small: memory is dear. */
static const char settings[] = "PRAGMA page_size=1024;"
                               "PRAGMA auto_vacuum=INCREMENTAL;"
                               "PRAGMA cache_size=-512;"
                               "PRAGMA temp_store=MEMORY;"
                               "PRAGMA cell_size_check=ON;"
                               "PRAGMA trusted_schema=OFF;";

static const char file_settings[] = "PRAGMA locking_mode=EXCLUSIVE;"
                                    "PRAGMA journal_mode=WAL;"
                                    "PRAGMA synchronous=NORMAL;"
                                    "PRAGMA wal_autocheckpoint=4096;"
                                    "PRAGMA journal_size_limit=8388608;";

int database_error(int result)
{
    static const struct {
        int result, error;
    } errors[] = {
        {SQLITE_OK, 0},
        {SQLITE_ROW, 0},
        {SQLITE_DONE, 0},
        {SQLITE_CORRUPT, -EBADMSG},
        {SQLITE_NOTADB, -EBADMSG},
        {SQLITE_SCHEMA, -EBADMSG},
        {SQLITE_ERROR, -EBADMSG},
        {SQLITE_FULL, -ENOSPC},
        {SQLITE_READONLY, -EROFS},
        {SQLITE_BUSY, -EBUSY},
        {SQLITE_LOCKED, -EBUSY},
        {SQLITE_NOMEM, -ENOMEM},
        {SQLITE_PERM, -EACCES},
        {SQLITE_CANTOPEN, -EACCES},
        {SQLITE_TOOBIG, -EFBIG},
    };

    for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
        if (errors[i].result == (result & 0xff))
            return errors[i].error;
    return -EIO;
}

int database_init(struct database *database, const struct database_kind *kind,
                  const char *directory)
{
    AUTO_TEXT struct text path = {0};

    *database = (struct database){.kind = kind};
    if (!directory)
        return 0;
    text_append_format(&path, "%s/%s", directory, kind->name);
    database->path = text_take(&path);
    return database->path ? 0 : -ENOMEM;
}

void database_done(struct database *database)
{
    database_close(database);
    free(TAKE(database->path));
}

void database_close(struct database *database)
{
    (void)sqlite3_close(TAKE(database->handle));
}

int database_run(struct database *database, const char *statements)
{
    return database_error(sqlite3_exec(database->handle, statements, NULL, NULL, NULL));
}

void database_roll_back(struct database *database)
{
    if (database->handle && !sqlite3_get_autocommit(database->handle))
        (void)database_run(database, "ROLLBACK");
}

int database_prepare(struct database *database, const char *query, sqlite3_stmt **ret_statement)
{
    return database_error(sqlite3_prepare_v2(database->handle, query, -1, ret_statement, NULL));
}

int database_finish(struct database *database, sqlite3_stmt *statement)
{
    int result;

    (void)database;
    do
        result = sqlite3_step(statement);
    while (result == SQLITE_ROW);
    (void)sqlite3_reset(statement);
    return database_error(result);
}

int database_run_with(struct database *database, const char *query, uint64_t number)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int r = database_prepare(database, query, &statement);

    if (r < 0)
        return r;
    (void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)number);
    r = database_finish(database, statement);
    return r < 0 ? r : sqlite3_changes(database->handle);
}

int database_delete(struct database *database, const char *query, uint64_t id)
{
    int r = database_run_with(database, query, id);

    return r > 0 ? 0 : r < 0 ? r : -ENOENT;
}

int database_ask(struct database *database, const char *query, uint64_t *ret_value)
{
    AUTO_STATEMENT sqlite3_stmt *statement = NULL;
    int result = SQLITE_DONE, r = database_prepare(database, query, &statement);

    if (r < 0)
        return r;
    result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        *ret_value = (uint64_t)sqlite3_column_int64(statement, 0);
    else if (result == SQLITE_DONE)
        *ret_value = 0;
    return database_error(result);
}

int database_copy(struct database *from, const char *query, struct database *to,
                  const char *statement)
{
    AUTO_STATEMENT sqlite3_stmt *read = NULL, *write = NULL;
    int result = SQLITE_DONE, r = database_prepare(from, query, &read);

    if (r == 0)
        r = database_prepare(to, statement, &write);
    if (r < 0)
        return r;
    while (r == 0 && (result = sqlite3_step(read)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(read); i++)
            (void)sqlite3_bind_value(write, i + 1, sqlite3_column_value(read, i));
        r = database_finish(to, write);
    }
    return r < 0 ? r : database_error(result);
}

struct question {
    const char *query;
    uint64_t *ret_value;
};

static int ask_all(struct database *database, const struct question *questions, size_t n)
{
    int r = 0;

    for (size_t i = 0; i < n && r == 0; i++)
        r = database_ask(database, questions[i].query, questions[i].ret_value);
    return r;
}

int database_size(struct database *database, uint64_t *ret_used)
{
    uint64_t pages = 0, unused = 0, page_size = 0;
    const struct question questions[] = {{"PRAGMA page_count", &pages},
                                         {"PRAGMA freelist_count", &unused},
                                         {"PRAGMA page_size", &page_size}};
    int r = ask_all(database, questions, ARRAY_SIZE(questions));

    if (r == 0)
        *ret_used = (pages - unused) * page_size;
    return r;
}

bool database_has_moved(struct database *database)
{
    int moved = 0;

    if (!database->path || !database->handle)
        return false;
    return sqlite3_file_control(database->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) ==
               SQLITE_OK &&
           moved;
}

static int make_tables(struct database *database)
{
    AUTO_TEXT struct text statements = {0};
    AUTO_FREE char *all = NULL;
    int r;

    text_append_format(&statements,
                       "BEGIN IMMEDIATE;%s;PRAGMA application_id=%d;PRAGMA user_version=%d;COMMIT;",
                       database->kind->schema, APPLICATION_ID, database->kind->version);
    all = text_take(&statements);
    r = all ? database_run(database, all) : -ENOMEM;
    if (r < 0)
        database_roll_back(database);
    return r;
}

/* Looks whose file it is. -EBADMSG, with the reason, if it is not ours or of a newer version. */
static int check_owner(struct database *database, bool *ret_is_new)
{
    uint64_t id = 0, version = 0, tables = 0;
    const struct question questions[] = {{"SELECT count(*) FROM sqlite_master", &tables},
                                         {"PRAGMA application_id", &id},
                                         {"PRAGMA user_version", &version}};
    int r = ask_all(database, questions, ARRAY_SIZE(questions));

    if (r < 0)
        return r;
    *ret_is_new = tables == 0;
    if (tables > 0 && id != APPLICATION_ID)
        database->foreign = "it is not a database of pmu_exporter";
    else if (tables > 0 && version != (uint64_t)database->kind->version)
        database->foreign = "it is of another version of pmu_exporter";
    else
        return 0;
    return -EBADMSG;
}

/* A file that cannot be written is of no use, and neither is one that somebody else has. */
static int prepare(struct database *database)
{
    bool is_new = false;
    int r = database_run(database, settings);

    if (r == 0 && database->path)
        r = database_run(database, file_settings);
    if (r == 0)
        r = check_owner(database, &is_new);
    if (r == 0)
        r = is_new ? make_tables(database) : database_run(database, "BEGIN IMMEDIATE; COMMIT");
    if (r == 0 && database->kind->indices)
        r = database_run(database, database->kind->indices);
    return r;
}

static void make_directory(const char *path)
{
    AUTO_FREE char *directory = strdup(path);
    char *slash = directory ? strrchr(directory, '/') : NULL;

    if (!slash || slash == directory)
        return;
    *slash = '\0';
    (void)mkdir(directory, 0750);
}

/*
 * SQLite follows symbolic links, and writes a log beside the file: who may write into the directory
 * could have us write over any file. 0; -EPERM: somebody else may.
 */
static int check_directory(const char *path)
{
    AUTO_FREE char *directory = strdup(path);
    AUTO_CLOSE int fd = -1;
    struct path_doubt doubt;
    struct stat status;
    int r;

    if (!directory)
        return -ENOMEM;
    *strrchr(directory, '/') = '\0'; /* database_init() has put it there */
    r = trusted_path_open(*directory ? directory : "/", &fd, &doubt);
    if (doubt.who != PATH_SAY_NOBODY || r == -EPERM)
        return -EPERM;
    if (r < 0)
        return 0; /* SQLite says what is wrong. */
    if (fstat(fd, &status) < 0)
        return -errno;
    return status.st_mode & S_IWOTH ? -EPERM : 0;
}

/*
 * SQLite would let everybody read what it makes, and a directory that is not ours may be open to
 * all. Its log has the mode of the database.
 */
static void make_file(const char *path)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);

    (void)fd; /* SQLite says what is wrong */
}

static int open_once(struct database *database)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int result, r;

    if (database->path) {
        make_directory(database->path);
        r = check_directory(database->path);
        if (r < 0)
            return r;
        make_file(database->path);
    }
    result = sqlite3_open_v2(database->path ? database->path : ":memory:", &database->handle, flags,
                             NULL);
    r = database_error(result);
    if (r == 0 && sqlite3_db_readonly(database->handle, "main") > 0)
        r = -EROFS;
    if (r == 0)
        r = prepare(database);
    if (r < 0)
        database_close(database);
    return r;
}

static int rename_with(const char *path, const char *suffix)
{
    AUTO_TEXT struct text from_text = {0}, to_text = {0};
    AUTO_FREE char *from = NULL, *to = NULL;

    text_append_format(&from_text, "%s%s", path, suffix);
    text_append_format(&to_text, "%s.set-aside%s", path, suffix);
    from = text_take(&from_text);
    to = text_take(&to_text);
    if (!from || !to)
        return -ENOMEM;
    (void)unlink(to);
    return rename(from, to) < 0 ? -errno : 0;
}

/* The write-ahead log goes with its file: without it the file would be older than it was. */
static int set_aside(struct database *database)
{
    int r = rename_with(database->path, "");

    (void)rename_with(database->path, "-wal");
    (void)rename_with(database->path, "-shm");
    if (r == 0)
        database->n_set_aside++;
    return r;
}

int database_open(struct database *database)
{
    int r;

    database->foreign = NULL;
    database->was_damaged = false;
    r = database->is_distrusted ? -EBADMSG : open_once(database);
    if (r != -EBADMSG || !database->path)
        return r;
    database->is_distrusted = false;
    database->was_damaged = !database->foreign;
    if (database->was_damaged)
        database->foreign = "it is damaged";
    r = set_aside(database);
    return r == 0 ? open_once(database) : r;
}
