/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The programs and libraries that processes have mapped. A file has a number, by which mappings and
 * frames refer to it, as long as some process has it mapped, and for up to an hour after that if
 * it has samples. Its tables are read when a stack has ended in it, and its functions are named
 * when they were sampled.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/code_listing.h"
#include "profile/object_table.h"
#include "profile/store.h"
#include "profile/unwind_pool.h"
#include "reader/object_reader.h"

struct known_files;

/* A file is told by what the kernel has mapped, never by its path. */
struct file_key {
    uint64_t device, inode; /* device: as in struct profile_vma. The vDSO: both 0 */
    uint64_t generation;    /* of the inode: numbers of deleted files are given again */
};

/* What is borrowed for the life of the files. */
struct known_files_setup {
    const struct profile_arrays *arrays;
    struct unwind_pool *pool;
    struct profile_store *store;
    size_t n;            /* numbers that there are */
    size_t starts_bytes; /* that may be kept of where the functions of mapped files start */
    int procfs_fd;
};

struct known_files *known_files_new(const struct known_files_setup *setup);
struct known_files *known_files_free(struct known_files *files);
DEFINE_AUTO(known_files, struct known_files *, known_files_free)

/* Where a process has a file mapped. */
struct file_sight {
    struct file_key key;
    const char *path; /* as the kernel shows it */
    pid_t pid;
    uint64_t start, end;
    bool may_stall; /* struct profile_vma: it is never opened */
};

/* The number of a file. Where there is none left, that of "[other files]", which has no tables. */
uint32_t known_files_find(struct known_files *files, const struct file_sight *sight);

/* Whether there may be numbers again for files that found none. */
bool known_files_has_numbers(const struct known_files *files);

/* The name of a file without its folders: clean UTF-8. Borrowed. */
const char *known_files_owner(const struct known_files *files, uint32_t number);

/* By whose sample a file is used, and when. */
struct file_use {
    uint32_t cgroup; /* the number of the nearest one that is counted; 0: none is */
    uint64_t now_ns;
};

/* A stack has ended in the file, or a frame is in it: its tables are wanted. */
void known_files_want(struct known_files *files, uint32_t number, const struct file_use *use);

/*
 * The function that has a place in a file. It has its name, or gets it later. False: the tables of
 * the file are not there yet, and are being asked for.
 */
bool known_files_function(struct known_files *files, uint32_t number, uint32_t place,
                          const struct file_use *use, uint32_t *ret_function);

/*
 * Opens the next file to be read: one of those for whom the least was spent. The caller closes both
 * descriptors of the job. False: nothing is to be read now.
 */
bool known_files_next_job(struct known_files *files, uint64_t now_ns, struct object_job *ret_job);

/* Takes the result of that job. */
void known_files_take(struct known_files *files, const struct object_result *result,
                      uint64_t now_ns);

/*
 * The path of a file whose tables are not used, so that stacks end in it; the first
 * one since the last call. The caller frees it. NULL: there was none, or no memory.
 */
char *known_files_take_refused(struct known_files *files, enum object_outcome *ret_outcome);

/*
 * Somebody waits for the names of these functions of the store, as far as they are asked for now:
 * their jobs are next. Then tells whether any of them is still to come. is_waited_for: [function],
 * for all below n.
 */
void known_files_hurry(struct known_files *files, const bool *is_waited_for, size_t n);
bool known_files_is_hurried(const struct known_files *files);

/* The code of a function: from `start` to `end`, not included, from the base of its file's table.
 */
struct known_code {
    uint32_t file; /* its number */
    uint32_t start, end;
};

/* Where the function is that has this number in the store. False: its file is not known any more.
 */
bool known_files_locate(const struct known_files *files, uint32_t function,
                        struct known_code *ret_code);

/*
 * Opens the files of a job that lists it; the caller sets its starts, and closes them. 0; -EACCES:
 * not everybody may read the program; -ESTALE: it was written over; -errno.
 */
int known_files_open_code(const struct known_files *files, const struct known_code *code,
                          struct object_job *ret_job);

/* Whether a listing is of the very file that was read before. */
bool known_files_has_code(const struct known_files *files, uint32_t number,
                          const struct code_listing *listing);

/* From a place in a file to an address from the base of its table. False: there is no code. */
bool known_files_address(const struct known_files *files, uint32_t number, uint32_t place,
                         uint32_t *ret_address);

/* Places of tables that were given up before the last call can be used again. */
void known_files_settle(struct known_files *files);

/*
 * Gives up the tables of files that are not marked, frees the numbers of those that have no
 * functions of the last hour or of which there are too many, and ends all marks.
 */
void known_files_mark(struct known_files *files, uint32_t number);
void known_files_sweep(struct known_files *files, uint64_t now_ns);

enum file_state {
    FILE_UNREAD,  /* nobody has asked for it */
    FILE_WANTED,  /* it is to be read */
    FILE_READ,    /* its tables are there */
    FILE_REFUSED, /* the reader has refused it, or there was no room for what it has read */
    FILE_MISSING, /* it cannot be opened, or another file is at its path */
    FILE_KEPT, /* no process has it mapped any more; its tables are given up, its functions stay */
    FILE_STATE_COUNT_,
};

struct known_files_figures {
    size_t n[FILE_STATE_COUNT_];
    uint64_t outcomes[OBJECT_OUTCOME_COUNT_]; /* of all jobs, since the start */
    uint64_t without_number;                  /* times that a file found none, since the start */
    uint64_t without_room;                    /* times that a table found none */
    size_t bytes;                             /* of what is kept here of files */
};

void known_files_figures(const struct known_files *files, struct known_files_figures *ret_figures);
