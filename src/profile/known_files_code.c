/* SPDX-License-Identifier: Apache-2.0 */

/* Where the code of a function is, for who lists its instructions. */
#include "profile/known_files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "profile/known_file.h"
#include "profile/open_object.h"
#include "sys/privileges.h"

/* The file of which a function is, by its number in the store. NULL: none that is known. */
static struct known_file *find_file(const struct known_files *files, uint32_t function,
                                    uint32_t *ret_start)
{
    const uint64_t generation = profile_store_generation(files->setup.store);
    struct known_file *file, *next_file;
    struct known_function *known, *next;

    HASH_ITER(hh, files->by_key, file, next_file) {
        if (!file->table || file->generation != generation)
            continue;
        HASH_ITER(hh, file->functions, known, next)
            if (known->function == function) {
                *ret_start = known->start;
                return file;
            }
    }
    return NULL;
}

bool known_files_locate(const struct known_files *files, uint32_t function,
                        struct known_code *ret_code)
{
    uint32_t start = 0;
    const struct known_file *file = find_file(files, function, &start);

    if (!file)
        return false;
    *ret_code =
        (struct known_code){file->number, start, object_table_function_end(file->table, start)};
    return true;
}

/*
 * Who asks for code may be anybody: he is shown what any user of the machine could read. So the
 * directories on the way are passed without the capabilities that drop-ins of the unit give.
 */
static int open_as_others_would(const struct known_files *files, const struct known_file *file)
{
    const bool is_aside = privileges_set_reading_aside();
    const int fd = known_file_open_again(files, file);

    if (is_aside)
        privileges_take_reading_back();
    return fd;
}

static bool is_for_all(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 && (status.st_mode & S_IROTH);
}

int known_files_open_code(const struct known_files *files, const struct known_code *code,
                          struct object_job *ret_job)
{
    const struct known_file *file = known_file_of(files, code->file);
    AUTO_CLOSE int fd = file && file->table ? open_as_others_would(files, file) : -ENOENT;

    if (fd < 0)
        return fd;
    if (!is_for_all(fd))
        return -EACCES;
    *ret_job = (struct object_job){
        .kind = OBJECT_JOB_CODE,
        .fd = TAKE_FD(fd),
        .debug_fd = open_debug_object(file->table->build_id, file->table->n_build_id)};
    return 0;
}

bool known_files_has_code(const struct known_files *files, uint32_t number,
                          const struct code_listing *listing)
{
    const struct known_file *file = known_file_of(files, number);

    return file && file->table && file->table->base == listing->base &&
           file->table->n_build_id == listing->n_build_id &&
           memcmp(file->table->build_id, listing->build_id, listing->n_build_id) == 0;
}

bool known_files_address(const struct known_files *files, uint32_t number, uint32_t place,
                         uint32_t *ret_address)
{
    const struct known_file *file = known_file_of(files, number);

    return file && file->table && object_table_address(file->table, place, ret_address);
}
