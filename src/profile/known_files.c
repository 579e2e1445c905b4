/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A function is known by its file and by where it begins. It is entered in the store at its first
 * sample, under the address of its beginning; its name comes with the next job of names of its
 * file. Whoever has new functions all the time, as a compiler that starts, cannot keep the reader
 * busy: a file waits the longer for its next job the longer its last one took.
 */
#include "profile/known_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/clean_name.h"
#include "profile/known_file.h"
#include "profile/open_object.h"
#include "profile/store_parts.h"

struct known_files *known_files_new(const struct known_files_setup *setup)
{
    AUTO(known_files) struct known_files *files = calloc(1, sizeof(*files));

    if (!files)
        return NULL;
    files->setup = *setup;
    files->by_number = calloc(setup->n, sizeof(*files->by_number));
    return files->by_number ? TAKE(files) : NULL;
}

struct known_files *known_files_free(struct known_files *files)
{
    struct known_file *file, *next;

    if (!files)
        return NULL;
    HASH_ITER(hh, files->by_key, file, next) {
        HASH_DEL(files->by_key, file);
        known_file_free(file);
    }
    reader_shares_done(&files->shares);
    free(files->retired);
    free(files->refused_path);
    free(files->by_number);
    free(files);
    return NULL;
}

/*
 * The last part of a path, as an owner is called; of a file in brackets ("[kernel]") with what
 * tells it from owners that are no files. NULL: no memory.
 */
static char *make_owner(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash && slash[1] ? slash + 1 : *path ? path : "[unknown file]";
    struct text text = {0};

    if (*name == '[' && slash && name == slash + 1)
        text_append_string(&text, "./");
    clean_name_append(&text, name, strlen(name));
    return text_take(&text);
}

/* A free number; 0 is that of all files that have none. */
static uint32_t free_number(struct known_files *files)
{
    for (size_t i = 0; i < files->setup.n - 1; i++) {
        files->last_number = files->last_number % (uint32_t)(files->setup.n - 1) + 1;
        if (!files->by_number[files->last_number])
            return files->last_number;
    }
    return 0;
}

/* Whether the path leads to the file here, and not only for the process that has it mapped. */
static bool is_here(const struct file_sight *sight)
{
    const struct object_place place = {
        .path = sight->path, .device = sight->key.device, .inode = sight->key.inode};

    return !sight->may_stall && object_is_at_path(&place);
}

static struct known_file *enter(struct known_files *files, const struct file_sight *sight)
{
    const uint32_t number = free_number(files);
    struct known_file *file = number > 0 ? calloc(1, sizeof(*file)) : NULL;

    files->has_no_numbers = number == 0;
    files->n_without_number += number == 0;
    if (!file)
        return NULL;
    file->number = number;
    file->key = sight->key;
    file->path = strdup(sight->path);
    file->owner = make_owner(sight->path);
    file->is_here = is_here(sight);
    file->may_stall = sight->may_stall;
    if (!file->path || !file->owner) {
        known_file_free(file);
        return NULL;
    }
    HASH_ADD(hh, files->by_key, key, sizeof(file->key), file);
    if (!file->hh.tbl) {
        known_file_free(file);
        return NULL;
    }
    files->by_number[file->number] = file;
    return file;
}

/* A process has it mapped that nobody had: it is read anew. */
static void renew(struct known_files *files, struct known_file *file)
{
    file->state = FILE_UNREAD;
    file->is_doubtful = true;
    if (files->job_number == file->number) /* what is being read of it may be of what it was */
        files->job_number = 0;
}

/*
 * The file has another path for another process. Whoever mounts it somewhere else, where it likes,
 * gives it no name: one counts that leads to the file here. Without any, one does that may be
 * opened at all.
 */
static void see_at(struct known_file *file, const struct file_sight *sight)
{
    const bool is_there = is_here(sight);
    AUTO_FREE char *path = NULL, *owner = NULL;

    if (!is_there && file->state != FILE_MISSING)
        return;
    path = strdup(sight->path);
    owner = make_owner(sight->path);
    if (!path || !owner)
        return;
    if (strcmp(owner, file->owner) != 0) /* what is sampled from now on is its own */
        known_file_forget_functions(file);
    free(file->path);
    free(file->owner);
    file->path = TAKE(path);
    file->owner = TAKE(owner);
    file->is_here = is_there;
}

uint32_t known_files_find(struct known_files *files, const struct file_sight *sight)
{
    struct known_file *file;

    HASH_FIND(hh, files->by_key, &sight->key, sizeof(sight->key), file);
    if (!file)
        file = enter(files, sight);
    if (!file)
        return 0;
    if (!file->is_here && strcmp(file->path, sight->path) != 0)
        see_at(file, sight);
    if (file->state == FILE_KEPT)
        renew(files, file);
    file->pid = sight->pid;
    file->start = sight->start;
    file->end = sight->end;
    file->is_marked = true;
    if (file->state == FILE_MISSING && file->retry_pid != sight->pid) {
        file->retry_pid = sight->pid; /* another process may let us open it */
        file->state = FILE_UNREAD;
    }
    return file->number;
}

const char *known_files_owner(const struct known_files *files, uint32_t number)
{
    const struct known_file *file = known_file_of(files, number);

    return file ? file->owner : "[other files]";
}

void known_files_want(struct known_files *files, uint32_t number, const struct file_use *use)
{
    struct known_file *file = known_file_of(files, number);

    if (!file)
        return;
    file->used_ns = use->now_ns;
    known_file_ask_for(files, file, use->cgroup);
    if (file->state == FILE_REFUSED && file->retry_ns > 0 && use->now_ns >= file->retry_ns)
        file->state = FILE_UNREAD;
    if (file->state == FILE_UNREAD) {
        file->state = FILE_WANTED;
        file->wanted_ns = use->now_ns;
    }
}

/* Has a function named by the next job. Without memory it keeps its address. */
static void want_name(struct known_file *file, uint32_t start, uint32_t function)
{
    struct wanted_name *wanted =
        array_reserve(file->wanted, sizeof(*wanted), &file->wanted_capacity, file->n_wanted + 1);

    if (!wanted)
        return;
    file->wanted = wanted;
    file->wanted[file->n_wanted++] = (struct wanted_name){.start = start, .function = function};
}

/* Makes a function that has no name yet. */
static uint32_t make_function(struct known_files *files, struct known_file *file, uint32_t address,
                              bool has_start)
{
    char name[32];
    uint32_t function;

    (void)snprintf(name, sizeof(name), "0x%" PRIx64,
                   file->table ? file->table->base + address : (uint64_t)address);
    function = profile_store_unnamed(files->setup.store, PROFILE_USER, file->owner, name);
    if (has_start && function != STORE_FOLDED_FUNCTION)
        want_name(file, address, function);
    return function;
}

/* Without memory another one is made at its next sample; they have one name, and are shown as one.
 */
static void keep_function(struct known_file *file, uint32_t start, uint32_t function)
{
    struct known_function *known = calloc(1, sizeof(*known));

    if (!known)
        return;
    *known = (struct known_function){.start = start, .function = function};
    HASH_ADD(hh, file->functions, start, sizeof(known->start), known);
    if (!known->hh.tbl)
        free(known);
}

/* What finds no room in the store is not kept: there may be room for it at its next sample. */
static uint32_t find_function(struct known_files *files, struct known_file *file, uint32_t address)
{
    struct known_function *known;
    uint32_t start = address, function;
    const bool has_start = object_table_function(file->table, address, &start);

    HASH_FIND(hh, file->functions, &start, sizeof(start), known);
    if (known)
        return known->function;
    function = make_function(files, file, start, has_start);
    if (function != STORE_FOLDED_FUNCTION)
        keep_function(file, start, function);
    return function;
}

bool known_files_function(struct known_files *files, uint32_t number, uint32_t place,
                          const struct file_use *use, uint32_t *ret_function)
{
    struct known_file *file = known_file_of(files, number);
    uint32_t address;

    known_files_want(files, number, use);
    if (file && (file->state == FILE_UNREAD || file->state == FILE_WANTED))
        return false;
    if (!file || !file->table || !object_table_address(file->table, place, &address)) {
        *ret_function = profile_store_function(files->setup.store, PROFILE_USER,
                                               known_files_owner(files, number), "[unnamed]");
        return true;
    }
    known_file_settle_functions(files, file);
    *ret_function = find_function(files, file, address);
    return true;
}
