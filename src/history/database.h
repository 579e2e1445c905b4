/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A database of SQLite, in a file or in memory. Functions return 0 or: -EBADMSG: it is damaged, or
 * it is not ours; -EPERM: others may write there; -ENOSPC, -EROFS, -EBUSY (another process has it),
 * -EIO, -ENOENT, -EACCES, -ENOMEM.
 */

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct database;

/* What is kept in a database. All of it is static. */
struct database_kind {
    const char *name; /* of the file */
    int version;
    const char *schema;
    const char *indices;       /* statements that make what files of before may lack; NULL: none */
    const char *const *tables; /* in the order in which they are copied; the last is NULL */
    /* Where rows keep their numbers when they move from memory to the disk: has memory begin with
     * numbers that the disk does not have. 0 or -errno. NULL: they get others. */
    int (*begin_numbers)(struct database *memory);
};

struct database {
    sqlite3 *handle; /* NULL: it is closed */
    const struct database_kind *kind;
    char *path;          /* NULL: it is in memory */
    bool is_distrusted;  /* the file is damaged: opening sets it aside */
    bool was_damaged;    /* the file that was set aside is ours: what can be read is to be copied */
    const char *foreign; /* why a file was set aside, static; NULL: none was */
    uint64_t n_set_aside; /* files */
};

/* Names the database of a directory, or one in memory, without opening it. 0 or -ENOMEM. */
int database_init(struct database *database, const struct database_kind *kind,
                  const char *directory);
void database_done(struct database *database);

/*
 * Opens it, and makes it if it is not there. A file that is damaged, foreign or of a newer version
 * is renamed (.set-aside), and a new one is made. Of a damaged one database_salvage() copies rows.
 */
int database_open(struct database *database);
void database_close(struct database *database);

/* Whether its file has been renamed or removed since it was opened. */
bool database_has_moved(struct database *database);

/* Runs statements without results. */
int database_run(struct database *database, const char *statements);

/* Runs a statement on another database for each row that a query finds, with its values. */
int database_copy(struct database *from, const char *query, struct database *to,
                  const char *statement);

/* Undoes what database_run("BEGIN") has begun, if it is not undone already. */
void database_roll_back(struct database *database);

/* Runs a statement whose ?1 is a number. Returns how many rows it has changed, or -errno. */
int database_run_with(struct database *database, const char *query, uint64_t number);

/* Deletes the row that the statement names by its number, ?1. 0, -ENOENT or -errno. */
int database_delete(struct database *database, const char *query, uint64_t id);

/* A number that a pragma or a query tells. */
int database_ask(struct database *database, const char *query, uint64_t *ret_value);

/* How many bytes of the file are in use. */
int database_size(struct database *database, uint64_t *ret_used);

/* Prepares a statement. */
int database_prepare(struct database *database, const char *query, sqlite3_stmt **ret_statement);

/* Runs a statement to its end and resets it: 0 or -errno. */
int database_finish(struct database *database, sqlite3_stmt *statement);

/* What a result of SQLite means as -errno; 0 for SQLITE_OK, SQLITE_ROW and SQLITE_DONE. */
int database_error(int result);

static inline void cleanup_statement(sqlite3_stmt **statement)
{
    (void)sqlite3_finalize(*statement);
}
#define AUTO_STATEMENT __attribute__((cleanup(cleanup_statement)))

/* database_salvage.c */

/* Copies the rows that can be read of the file that was set aside into the new one. */
void database_salvage(struct database *database);
