/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What is given up, and when. Places of tables are used again only after the program in the kernel
 * cannot be at them any more. Of a file that no process has mapped any more the tables go at once;
 * what names its functions stays for a while, for who asks for the code of what has been sampled.
 */
#include "profile/known_files.h"

#include "base/clock.h"
#include "profile/known_file.h"

/* Files that no process has mapped stay for so long after their last sample; so many of them, as a
 * part of all numbers, and so many bytes. */
#define KEPT_NS    (3600 * NS_PER_SECOND)
#define KEPT_PART  4
#define KEPT_BYTES ((size_t)4 << 20)

void known_files_settle(struct known_files *files)
{
    for (size_t i = 0; i < files->n_retired; i++)
        unwind_pool_remove(files->setup.pool, &files->retired[i]);
    files->n_retired = 0;
}

bool known_files_has_numbers(const struct known_files *files)
{
    return !files->has_no_numbers;
}

void known_files_mark(struct known_files *files, uint32_t number)
{
    struct known_file *file = known_file_of(files, number);

    if (file)
        file->is_marked = true;
}

static void forget(struct known_files *files, struct known_file *file)
{
    files->has_no_numbers = false;
    files->by_number[file->number] = NULL;
    HASH_DEL(files->by_key, file);
    known_file_free(file);
}

/* Whether samples have been taken in it, whose code somebody may still ask for. */
static bool may_be_kept(const struct known_file *file, uint64_t now_ns)
{
    return file->table && file->functions && now_ns < file->used_ns + KEPT_NS;
}

/*
 * Forgets those that were not used for longest, until the others are within the bounds: all, where
 * programs that run have found no number.
 */
static void bound_kept(struct known_files *files)
{
    const size_t most = files->has_no_numbers ? 0 : files->setup.n / KEPT_PART;

    for (;;) {
        struct known_file *file, *next, *oldest = NULL;
        size_t n = 0, bytes = 0;

        HASH_ITER(hh, files->by_key, file, next) {
            if (file->state != FILE_KEPT || file->number == files->job_number)
                continue;
            n++;
            bytes += known_file_bytes(file);
            if (!oldest || file->used_ns < oldest->used_ns)
                oldest = file;
        }
        if (!oldest || (n <= most && bytes <= KEPT_BYTES))
            return;
        forget(files, oldest);
    }
}

void known_files_sweep(struct known_files *files, uint64_t now_ns)
{
    struct known_file *file, *next;

    HASH_ITER(hh, files->by_key, file, next) {
        /* the one that is being read stays until the next sweep */
        const bool stays = file->is_marked || file->number == files->job_number;

        known_file_settle_functions(files, file);
        file->is_marked = false;
        if (stays || !known_file_retire(files, file))
            continue;
        if (may_be_kept(file, now_ns))
            file->state = FILE_KEPT;
        else
            forget(files, file);
    }
    bound_kept(files);
    reader_shares_settle(&files->shares, now_ns);
}
