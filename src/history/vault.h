/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A database on disk, and one in memory for as long as the disk is of no use. What is written goes
 * to the one or the other; what is read is in both.
 */

#include "history/database.h"

struct vault {
    struct database disk, memory;
    int error;            /* why there is no disk now; 0: there is, or none is wanted */
    uint64_t next_try_ns; /* by CLOCK_MONOTONIC */
    uint64_t n_errors;    /* writes that failed */
    /* Copies what is in memory to the disk, which has just come back. 0 or -errno. */
    int (*move)(struct database *from, struct database *to);
};

/* Names the directory; NULL: everything stays in memory. Nothing is opened. 0 or -ENOMEM. */
int vault_init(struct vault *vault, const struct database_kind *kind, const char *directory,
               int (*move)(struct database *from, struct database *to));
void vault_done(struct vault *vault);

/* The database that is written to now; NULL: there is no memory. */
struct database *vault_writable(struct vault *vault);

/* Tells that writing or reading one of its databases has failed. */
void vault_failed(struct vault *vault, struct database *database, int error);

/* At first, and from time to time: opens the disk, notices a file that was removed, and tries the
 * disk again. */
void vault_check(struct vault *vault);

/* The databases that can be read; there are up to two. */
size_t vault_readable(struct vault *vault, struct database *ret_databases[2]);

/* Whether what is written now is lost when the exporter ends. */
bool vault_is_in_memory(const struct vault *vault);

/* Why, in words; NULL: it is not. */
const char *vault_reason(const struct vault *vault);

/* Runs write(database, context) within a transaction of the database that is written to now. */
int vault_write(struct vault *vault, int (*write)(struct database *database, void *context),
                void *context);
