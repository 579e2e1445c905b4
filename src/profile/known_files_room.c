/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What all files may take: rows in the tables of the kernel, and here where functions start. Where
 * there is no room, those give way that were not used for longest; but none that was used so lately
 * that files would push each other out in turn.
 */
#include "profile/known_file.h"

#include <errno.h>

#include "base/clock.h"

#define IN_USE_NS (30 * NS_PER_SECOND)

static size_t starts_bytes(const struct known_file *file)
{
    return file->table ? file->table->n_starts * sizeof(*file->table->starts) : 0;
}

/* Files that no process has mapped have bounds of their own (known_files_sweep()). */
static bool has_starts(const struct known_file *file)
{
    return file->state != FILE_KEPT && starts_bytes(file) > 0;
}

static bool has_rows(const struct known_file *file)
{
    return file->pages.rows.n > 0;
}

/* Of the files that have something. NULL: all of them are in use. */
static struct known_file *find_oldest(const struct known_files *files, uint64_t now_ns,
                                      bool (*has)(const struct known_file *file))
{
    struct known_file *file, *next, *oldest = NULL;

    HASH_ITER(hh, files->by_key, file, next)
        if (has(file) && file->number != files->job_number && now_ns >= file->used_ns + IN_USE_NS &&
            (!oldest || file->used_ns < oldest->used_ns))
            oldest = file;
    return oldest;
}

bool known_files_free_rows(struct known_files *files, uint64_t now_ns)
{
    struct known_file *oldest = find_oldest(files, now_ns, has_rows);

    if (!oldest || !known_file_retire(files, oldest))
        return false;
    oldest->state = FILE_UNREAD;
    return true;
}

/* A file loses all that was read of it, but for the names of its functions. */
static bool free_starts(struct known_files *files, uint64_t now_ns)
{
    struct known_file *oldest = find_oldest(files, now_ns, has_starts);

    if (!oldest || !known_file_retire(files, oldest))
        return false;
    if (oldest->state == FILE_READ || oldest->state == FILE_REFUSED)
        oldest->state = FILE_UNREAD;
    known_file_end_doubt(oldest);
    oldest->table = object_table_free(oldest->table);
    return true;
}

static size_t starts_of_others(const struct known_files *files, const struct known_file *but)
{
    const struct known_file *file, *next;
    size_t bytes = 0;

    HASH_ITER(hh, files->by_key, file, next)
        if (file != but && has_starts(file))
            bytes += starts_bytes(file);
    return bytes;
}

int known_files_make_room(struct known_files *files, const struct known_file *file,
                          const struct object_table *table, uint64_t now_ns)
{
    const size_t most = files->setup.starts_bytes;
    const size_t bytes = table->n_starts * sizeof(*table->starts);

    if (bytes > most)
        return -E2BIG;
    while (starts_of_others(files, file) > most - bytes)
        if (!free_starts(files, now_ns))
            return -ENOSPC;
    return 0;
}
