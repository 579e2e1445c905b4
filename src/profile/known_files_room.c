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

/*
 * Files that no process has mapped have bounds of their own (known_files_sweep()), and those that
 * could not be opened again could not be read again either.
 */
static bool has_starts(const struct known_file *file)
{
    return file->state != FILE_KEPT && file->state != FILE_MISSING && starts_bytes(file) > 0;
}

static bool has_rows(const struct known_file *file)
{
    return file->pages.rows.n > 0;
}

static bool is_in_use(const struct known_file *file, uint64_t now_ns)
{
    return now_ns < file->used_ns + IN_USE_NS;
}

/* Of the files that have something and are not in use, but for one. NULL: there is none. */
static struct known_file *find_oldest(const struct known_files *files, const struct known_file *but,
                                      uint64_t now_ns, bool (*has)(const struct known_file *file))
{
    struct known_file *file, *next, *oldest = NULL;

    HASH_ITER(hh, files->by_key, file, next)
        if (file != but && has(file) && !is_in_use(file, now_ns) &&
            (!oldest || file->used_ns < oldest->used_ns))
            oldest = file;
    return oldest;
}

bool known_files_free_rows(struct known_files *files, uint64_t now_ns)
{
    struct known_file *oldest = find_oldest(files, NULL, now_ns, has_rows);

    if (!oldest || !known_file_retire(files, oldest))
        return false;
    oldest->state = FILE_UNREAD;
    return true;
}

/* Gives up all that was read of a file, but for the names of its functions. False: no memory. */
static bool free_starts(struct known_files *files, struct known_file *file)
{
    if (!known_file_retire(files, file))
        return false;
    if (file->state == FILE_READ || file->state == FILE_REFUSED)
        file->state = FILE_UNREAD;
    known_file_end_doubt(file);
    file->table = object_table_free(file->table);
    return true;
}

/* What the starts of all files take but for one, and how much of that is out of use. */
static size_t starts_of_others(const struct known_files *files, const struct known_file *but,
                               uint64_t now_ns, size_t *ret_out_of_use)
{
    const struct known_file *file, *next;
    size_t bytes = 0;

    *ret_out_of_use = 0;
    HASH_ITER(hh, files->by_key, file, next) {
        if (file == but || !has_starts(file))
            continue;
        bytes += starts_bytes(file);
        *ret_out_of_use += is_in_use(file, now_ns) ? 0 : starts_bytes(file);
    }
    return bytes;
}

int known_files_make_room(struct known_files *files, const struct known_file *file,
                          const struct object_table *table, uint64_t now_ns)
{
    const size_t most = files->setup.starts_bytes;
    const size_t bytes = table->n_starts * sizeof(*table->starts);
    size_t out_of_use, others = starts_of_others(files, file, now_ns, &out_of_use);

    if (bytes > most)
        return -E2BIG;
    if (others - out_of_use + bytes > most)
        return -ENOSPC;
    while (others + bytes > most) {
        struct known_file *oldest = find_oldest(files, file, now_ns, has_starts);
        const size_t freed = oldest ? starts_bytes(oldest) : 0;

        if (!oldest || !free_starts(files, oldest))
            return -ENOSPC;
        others -= freed;
    }
    return 0;
}
