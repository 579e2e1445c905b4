/* SPDX-License-Identifier: Apache-2.0 */
#include "history/vault.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"

/* A disk that is full or gone is tried again this often. */
#define TRY_AGAIN_NS (5 * NS_PER_SECOND)

static void open_disk(struct vault *vault)
{
    int r = database_open(&vault->disk);

    vault->error = r;
    vault->next_try_ns = clock_monotonic_ns() + TRY_AGAIN_NS;
    if (r == 0 && vault->disk.was_damaged)
        database_salvage(&vault->disk);
    if (r < 0 || !vault->memory.handle)
        return;
    r = vault->move(&vault->memory, &vault->disk);
    if (r < 0) {
        database_roll_back(&vault->disk);
        database_close(&vault->disk);
        vault->error = r;
        return;
    }
    database_close(&vault->memory);
}

int vault_init(struct vault *vault, const struct database_kind *kind, const char *directory,
               int (*move)(struct database *from, struct database *to))
{
    int r;

    *vault = (struct vault){.move = move};
    r = database_init(&vault->memory, kind, NULL);
    return r < 0 ? r : database_init(&vault->disk, kind, directory);
}

void vault_done(struct vault *vault)
{
    database_done(&vault->disk);
    database_done(&vault->memory);
}

static int open_memory(struct vault *vault)
{
    const struct database_kind *kind = vault->memory.kind;
    int r = database_open(&vault->memory);

    if (r == 0 && vault->disk.path && kind->begin_numbers)
        r = kind->begin_numbers(&vault->memory);
    if (r < 0)
        database_close(&vault->memory);
    return r;
}

struct database *vault_writable(struct vault *vault)
{
    if (vault->disk.handle)
        return &vault->disk;
    if (!vault->memory.handle && open_memory(vault) < 0)
        return NULL;
    return &vault->memory;
}

void vault_failed(struct vault *vault, struct database *database, int error)
{
    vault->n_errors++;
    database_roll_back(database);
    if (error == -ENOMEM)
        return;
    database_close(database);
    if (database != &vault->disk)
        return;
    vault->error = error;
    vault->next_try_ns = clock_monotonic_ns() + TRY_AGAIN_NS;
    vault->disk.is_distrusted = error == -EBADMSG;
    if (error == -EBADMSG) /* then it is set aside, and the next one is good */
        open_disk(vault);
}

void vault_check(struct vault *vault)
{
    if (!vault->disk.path)
        return;
    if (database_has_moved(&vault->disk)) {
        database_close(&vault->disk);
        vault->next_try_ns = 0;
    }
    if (!vault->disk.handle && clock_monotonic_ns() >= vault->next_try_ns)
        open_disk(vault);
}

size_t vault_readable(struct vault *vault, struct database *ret_databases[2])
{
    size_t n = 0;

    if (vault->disk.handle)
        ret_databases[n++] = &vault->disk;
    if (vault->memory.handle)
        ret_databases[n++] = &vault->memory;
    return n;
}

bool vault_is_in_memory(const struct vault *vault)
{
    return !vault->disk.handle;
}

const char *vault_reason(const struct vault *vault)
{
    if (vault->disk.handle)
        return NULL;
    if (!vault->disk.path)
        return "there is no state directory (--storage.path)";
    switch (vault->error) {
    case -EBUSY:
        return "another process uses the database";
    case -ENOSPC:
        return "the disk is full";
    case -EROFS:
        return "the database is read-only";
    case -EPERM:
        return "others may write in the state directory, or change which directory it is";
    case -EACCES:
        return "the database cannot be opened or written";
    case -EBADMSG:
        return "the database is damaged, and cannot be set aside";
    default:
        return strerror(vault->error ? -vault->error : EIO);
    }
}

int vault_write(struct vault *vault, int (*write)(struct database *database, void *context),
                void *context)
{
    struct database *database = vault_writable(vault);
    int r = database ? database_run(database, "BEGIN IMMEDIATE") : -ENOMEM;

    if (r == 0)
        r = write(database, context);
    if (r == 0)
        r = database_run(database, "COMMIT");
    if (r == 0 || !database)
        return r;
    if (r == -ENOENT || r == -EFBIG || r == -EDQUOT) { /* a refusal, and no fault of the database */
        database_roll_back(database);
        return r;
    }
    vault_failed(vault, database, r);
    return r;
}
