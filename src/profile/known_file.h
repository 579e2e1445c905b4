/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A file that processes have mapped, for the modules that work with it (known_files.h). */

#define HASH_NONFATAL_OOM 1
#include <time.h>
#include <uthash.h>

#include "profile/known_files.h"
#include "profile/reader_shares.h"

/* A function of a file, by where it begins: an address from the base of the file's table. */
struct known_function {
    uint32_t start;
    uint32_t function; /* in the store */
    UT_hash_handle hh;
};

/* A function that waits for its name. */
struct wanted_name {
    uint32_t start, function;
};

struct known_file {
    uint32_t number;
    enum file_state state;
    struct file_key key;
    char *path, *owner;
    pid_t pid; /* a process that has it mapped, and where */
    uint64_t start, end;
    pid_t retry_pid;            /* the process by which it could not be opened */
    uint64_t retry_ns;          /* FILE_REFUSED for want of room: when it is tried again; or 0 */
    struct timespec modified;   /* when it was last written to, as its tables were read */
    struct object_table *table; /* without its rows; NULL: not read yet */
    struct unwind_pages pages;  /* where the rows are */
    uint64_t wanted_ns, used_ns;
    uint32_t cgroup; /* for whose samples it is read (struct file_use) */
    struct known_function *functions;
    uint64_t generation; /* of the store whose numbers the functions have */
    struct wanted_name *wanted;
    size_t n_wanted, wanted_capacity;
    size_t n_hurried;  /* the first ones of those wanted, for which somebody waits */
    uint64_t names_ns; /* no job of names before */
    uint32_t *asked;   /* what the present job was asked for: the first ones of those wanted */
    size_t n_asked;
    bool is_here;   /* the path leads to it here, and not only where somebody has mounted it */
    bool may_stall; /* struct profile_vma: it is never opened */
    bool is_marked;
    bool is_doubtful;  /* it was FILE_KEPT: it may have been written over since it was read */
    UT_hash_handle hh; /* by key */
};

struct known_files {
    struct known_files_setup setup;
    struct known_file *by_key;
    struct known_file **by_number;
    uint32_t last_number;
    enum object_job_kind job_kind; /* the present job */
    uint32_t job_number;           /* the file that it reads; 0: none */
    uint32_t job_cgroup;           /* for whom */
    uint64_t job_since_ns;
    struct reader_shares shares;
    struct unwind_pages *retired; /* places that may be used again after a while */
    size_t n_retired, retired_capacity;
    uint64_t outcomes[OBJECT_OUTCOME_COUNT_];
    char *refused_path; /* of the first file that was refused, and that nobody knows of; or NULL */
    enum object_outcome refused_outcome;
    uint64_t n_without_number; /* times that a file found none */
    uint64_t n_without_room;   /* times that a table found none */
    bool has_no_numbers;       /* the last one that wanted a number found none */
};

static inline struct known_file *known_file_of(const struct known_files *files, uint32_t number)
{
    return number < files->setup.n ? files->by_number[number] : NULL;
}

/* The file that is read next, and what of it. NULL: nothing is to be read now. */
struct known_file *known_files_choose(const struct known_files *files, uint64_t now_ns,
                                      enum object_job_kind *ret_kind);

/* A cgroup needs something of the file. */
void known_file_ask_for(const struct known_files *files, struct known_file *file, uint32_t cgroup);

/* Forgets the functions of a file, and the names that it waits for. */
void known_file_forget_functions(struct known_file *file);

/* Forgets them if their numbers in the store have been given to others. */
void known_file_settle_functions(const struct known_files *files, struct known_file *file);

/* Forgets what was read of a file that may have been written over since, if it may. */
void known_file_end_doubt(struct known_file *file);

/* Whether names that it waits for can be read now: else its tables are read first. */
static inline bool known_file_may_be_named(const struct known_file *file)
{
    return file->table && !file->is_doubtful;
}

/* Opens it, and no other file, for its tables, and keeps when it was last written to. A descriptor
 * that the caller closes, or -errno. */
int known_file_open(const struct known_files *files, struct known_file *file);

/* Opens it, and no other file, as it was when its tables were read. A descriptor that the caller
 * closes; -ESTALE: it has been written to since; or -errno. */
int known_file_open_again(const struct known_files *files, const struct known_file *file);

/* Has the program unwind by no tables of it any more. flags: of struct profile_file. */
void known_file_clear_pages(struct known_files *files, struct known_file *file, uint32_t flags);

/* The same, and gives up the places of its tables. False: no memory, it still has them. */
bool known_file_retire(struct known_files *files, struct known_file *file);

/* Gives up the tables of the file that was not used for longest. False: all are in use. */
bool known_files_free_rows(struct known_files *files, uint64_t now_ns);

/*
 * Makes room for what is kept here of a table of this file. 0; -ENOSPC: what others have is in use;
 * -E2BIG: there is never so much room.
 */
int known_files_make_room(struct known_files *files, const struct known_file *file,
                          const struct object_table *table, uint64_t now_ns);

/* How many bytes are kept of it, but for its tables. */
size_t known_file_bytes(const struct known_file *file);

/* Frees a file, which nothing refers to any more. */
void known_file_free(struct known_file *file);
