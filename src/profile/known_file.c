/* SPDX-License-Identifier: Apache-2.0 */

/* One file: how it is opened, what it holds, and how that is given up. */
#include "profile/known_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "profile/open_object.h"

static int open_file(const struct known_files *files, const struct known_file *file,
                     struct stat *ret_status)
{
    const struct object_place place = {.path = file->path,
                                       .device = file->key.device,
                                       .inode = file->key.inode,
                                       .pid = file->pid,
                                       .start = file->start,
                                       .end = file->end};
    AUTO_CLOSE int fd = file->may_stall ? -EACCES : open_object(files->setup.procfs_fd, &place);

    if (fd >= 0 && fstat(fd, ret_status) < 0)
        return -errno;
    return TAKE_FD(fd);
}

int known_file_open(const struct known_files *files, struct known_file *file)
{
    struct stat status;
    const int fd = open_file(files, file, &status);

    if (fd >= 0)
        file->modified = status.st_mtim;
    return fd;
}

/* The vDSO is copied for each job, and never changes. */
static bool is_vdso(const struct known_file *file)
{
    return file->key.inode == 0 && file->key.device == 0;
}

int known_file_open_again(const struct known_files *files, const struct known_file *file)
{
    struct stat status;
    AUTO_CLOSE int fd = open_file(files, file, &status);

    if (fd >= 0 && !is_vdso(file) &&
        (status.st_mtim.tv_sec != file->modified.tv_sec ||
         status.st_mtim.tv_nsec != file->modified.tv_nsec))
        return -ESTALE;
    return TAKE_FD(fd);
}

void known_file_clear_pages(struct known_files *files, struct known_file *file, uint32_t flags)
{
    struct profile_file *entry = &files->setup.arrays->files[file->number];

    entry->flags = flags;
    __atomic_store_n(&entry->pages.both, 0, __ATOMIC_RELEASE);
}

bool known_file_retire(struct known_files *files, struct known_file *file)
{
    struct unwind_pages *retired;

    if (file->pages.rows.n == 0) {
        known_file_clear_pages(files, file, 0);
        return true;
    }
    retired = array_reserve(files->retired, sizeof(*retired), &files->retired_capacity,
                            files->n_retired + 1);
    if (!retired)
        return false;
    files->retired = retired;
    known_file_clear_pages(files, file, 0);
    files->retired[files->n_retired++] = file->pages;
    file->pages = (struct unwind_pages){0};
    return true;
}

size_t known_file_bytes(const struct known_file *file)
{
    return sizeof(*file) + strlen(file->path) + strlen(file->owner) +
           (file->table ? file->table->n_starts * sizeof(uint32_t) : 0) +
           HASH_COUNT(file->functions) * sizeof(struct known_function) +
           file->wanted_capacity * sizeof(*file->wanted);
}

void known_file_forget_functions(struct known_file *file)
{
    struct known_function *function, *next;

    HASH_ITER(hh, file->functions, function, next) {
        HASH_DEL(file->functions, function);
        free(function);
    }
    file->n_wanted = file->n_hurried = 0;
    file->n_asked = 0; /* what comes of the present job is for none that waits now */
}

void known_file_settle_functions(const struct known_files *files, struct known_file *file)
{
    const uint64_t generation = profile_store_generation(files->setup.store);

    if (file->generation != generation)
        known_file_forget_functions(file);
    file->generation = generation;
}

void known_file_end_doubt(struct known_file *file)
{
    if (!file->is_doubtful)
        return;
    known_file_forget_functions(file);
    file->table = object_table_free(file->table);
    file->is_doubtful = false;
}

void known_file_free(struct known_file *file)
{
    known_file_forget_functions(file);
    free(file->asked);
    (void)object_table_free(file->table);
    free(file->wanted);
    free(file->path);
    free(file->owner);
    free(file);
}
