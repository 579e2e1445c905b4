/* SPDX-License-Identifier: Apache-2.0 */

/* How a file is opened for the reader, and what comes of it. */
#include "profile/known_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "profile/known_file.h"
#include "profile/open_object.h"

/* Jobs of names take at most this part of a CPU, for each file; but nobody waits for longer. */
#define NAMES_SHARE     50
#define LONGEST_WAIT_NS (30 * NS_PER_SECOND)

/* What finds no room is tried again later. */
#define AGAIN_NS (60 * NS_PER_SECOND)

/* Code without frames of its own is as long as this only where it was made by a compiler of another
 * kind, as V8's builtins are: they keep frame pointers. */
#define LONG_GAP (256 * 1024)

/* A job of names takes what is wanted now; what comes meanwhile is for the next one. */
static bool begin_names(const struct known_files *files, struct known_file *file,
                        struct object_job *job)
{
    uint32_t *starts;
    size_t n;

    known_file_settle_functions(files, file);
    n = file->n_wanted < OBJECT_JOB_STARTS_MOST ? file->n_wanted : OBJECT_JOB_STARTS_MOST;
    starts = n > 0 ? calloc(n, sizeof(*starts)) : NULL;
    if (!starts)
        return false;
    for (size_t i = 0; i < n; i++)
        starts[i] = file->wanted[i].start;
    free(file->asked); /* of a job that could not be handed over */
    job->starts = file->asked = starts;
    job->n_starts = file->n_asked = n;
    job->debug_fd = open_debug_object(file->table->build_id, file->table->n_build_id);
    return true;
}

/* The file cannot be opened: it has no tables, or no names. */
static void note_missing(struct known_files *files, struct known_file *file,
                         enum object_job_kind kind)
{
    file->n_wanted = file->n_hurried = 0;
    if (kind != OBJECT_JOB_TABLE)
        return;
    known_file_end_doubt(file);
    file->state = FILE_MISSING;
    file->retry_pid = file->pid;
    known_file_clear_pages(files, file, 0);
}

/* Files that cannot be opened hold up none of the others; each is tried once. */
bool known_files_next_job(struct known_files *files, uint64_t now_ns, struct object_job *ret_job)
{
    struct object_job job = {.fd = -1, .debug_fd = -1};
    struct known_file *file;

    while ((file = known_files_choose(files, now_ns, &job.kind))) {
        job.fd = job.kind == OBJECT_JOB_TABLE ? known_file_open(files, file)
                                              : known_file_open_again(files, file);
        if (job.fd >= 0)
            break;
        note_missing(files, file, job.kind);
    }
    if (!file)
        return false;
    if (job.kind == OBJECT_JOB_NAMES && !begin_names(files, file, &job)) {
        (void)close(job.fd);
        return false;
    }
    files->job_kind = job.kind;
    files->job_number = file->number;
    files->job_cgroup = file->cgroup;
    files->job_since_ns = now_ns;
    *ret_job = job;
    return true;
}

/* Whether a long part of the code has no rules, also behind the last row. */
static bool has_long_gap(const struct object_table *table)
{
    const size_t last = table->n_segments > 0 ? table->n_segments - 1 : 0;
    const struct object_segment *segment = &table->segments[last];
    const uint64_t end = segment->address + segment->size - table->base;

    for (size_t i = 0; i < table->n_rows; i++) {
        const struct object_row *row = &table->rows[i];
        const uint64_t next = i + 1 < table->n_rows ? table->rows[i + 1].address : end;

        if (table->rules[row->rule].cfa == UNWIND_CFA_NONE && next >= row->address + LONG_GAP)
            return true;
    }
    return false;
}

/* Whether two tables were made of the same file, as far as it can be told. */
static bool is_same_build(const struct object_table *a, const struct object_table *b)
{
    return a->n_build_id > 0 && a->n_build_id == b->n_build_id && a->base == b->base &&
           memcmp(a->build_id, b->build_id, a->n_build_id) == 0;
}

static enum object_outcome accept(struct known_file *file)
{
    file->state = FILE_READ;
    file->retry_ns = 0;
    return OBJECT_READ;
}

/* There is no room for all of what was read: never (-E2BIG), or not now (-ENOSPC, -ENOMEM). */
static enum object_outcome refuse(struct known_files *files, struct known_file *file, int r,
                                  uint64_t now_ns)
{
    known_file_end_doubt(file);
    file->state = FILE_REFUSED;
    file->retry_ns = r == -E2BIG ? 0 : now_ns + AGAIN_NS;
    files->n_without_room += r == -ENOSPC;
    if (r == -E2BIG)
        return OBJECT_TOO_LARGE;
    return r == -ENOMEM ? OBJECT_FAILED : OBJECT_READ;
}

/* Has the program unwind by the tables of a file. What has come of reading it. */
static enum object_outcome enter_table(struct known_files *files, struct known_file *file,
                                       struct object_table *table, uint64_t now_ns)
{
    struct profile_file *entry = &files->setup.arrays->files[file->number];
    int r = known_files_make_room(files, file, table, now_ns);

    entry->flags = !table->has_unwind || has_long_gap(table) ? PROFILE_FILE_BY_FRAME_POINTER : 0;
    if (r < 0) {
        (void)object_table_free(table);
        return refuse(files, file, r, now_ns);
    }
    r = table->n_rows > 0 ? unwind_pool_add(files->setup.pool, table, &file->pages) : 0;

    if (r == -ENOSPC && known_files_free_rows(files, now_ns)) {
        (void)object_table_free(table); /* it is read again when there is room */
        return OBJECT_READ;
    }
    if (r == 0 && table->n_rows > 0) {
        const union profile_pages pages = {
            {.first = file->pages.pages.first, .n = file->pages.pages.n}};

        __atomic_store_n(&entry->pages.both, pages.both, __ATOMIC_RELEASE);
    }
    free(TAKE(table->rows));
    free(TAKE(table->rules));
    table->n_rows = table->n_rules = 0;
    if (file->is_doubtful && is_same_build(file->table, table))
        file->is_doubtful = false;
    known_file_end_doubt(file);
    if (file->table) /* it was given up and has come again: functions stay */
        file->table = object_table_free(file->table);
    file->table = table;
    return r == 0 ? accept(file) : refuse(files, file, r, now_ns);
}

static void note_refused(struct known_files *files, const struct known_file *file,
                         enum object_outcome outcome)
{
    if (files->refused_path ||
        (outcome != OBJECT_TOO_LARGE && outcome != OBJECT_TOO_SLOW && outcome != OBJECT_KILLED))
        return;
    files->refused_path = strdup(file->path);
    files->refused_outcome = outcome;
}

char *known_files_take_refused(struct known_files *files, enum object_outcome *ret_outcome)
{
    if (files->refused_path)
        *ret_outcome = files->refused_outcome;
    return TAKE(files->refused_path);
}

static void take_table(struct known_files *files, struct known_file *file,
                       const struct object_result *result, uint64_t now_ns)
{
    struct object_table *table = NULL;
    enum object_outcome outcome = result->outcome;
    int r = outcome == OBJECT_READ ? object_table_parse(result->bytes, result->n, &table) : 0;

    if (r < 0)
        outcome = r == -ENOMEM ? OBJECT_FAILED : OBJECT_KILLED;
    if (table)
        outcome = enter_table(files, file, table, now_ns);
    files->outcomes[outcome]++;
    note_refused(files, file, outcome);
    if (table)
        return;
    known_file_end_doubt(file);
    file->state = FILE_REFUSED;
    file->retry_ns = outcome == OBJECT_FAILED ? now_ns + AGAIN_NS : 0;
    /* what is mapped and is no program is code that was made at run time */
    known_file_clear_pages(files, file,
                           outcome == OBJECT_NO_PROGRAM ? PROFILE_FILE_BY_FRAME_POINTER : 0);
}

static void take_names(struct known_files *files, struct known_file *file,
                       const struct object_result *result)
{
    struct object_names names = {0};
    int r = result->outcome == OBJECT_READ
                ? object_names_parse(result->bytes, result->n, file->n_asked, &names)
                : -EBADMSG;

    files->outcomes[r == 0 || result->outcome != OBJECT_READ ? result->outcome : OBJECT_KILLED]++;
    for (size_t i = 0; r == 0 && i < names.n && i < file->n_wanted; i++)
        if (names.names[i] && file->wanted[i].start == file->asked[i])
            profile_store_rename(files->setup.store, file->wanted[i].function, names.names[i]);
    object_names_done(&names);
}

/* What was asked for is off the list, whatever came of it. */
static void end_names(struct known_file *file)
{
    const size_t n = file->n_asked < file->n_wanted ? file->n_asked : file->n_wanted;

    if (file->n_wanted > 0)
        memmove(file->wanted, file->wanted + n, (file->n_wanted - n) * sizeof(*file->wanted));
    file->n_wanted -= n;
    file->n_hurried -= n < file->n_hurried ? n : file->n_hurried;
    free(TAKE(file->asked));
    file->n_asked = 0;
}

static uint64_t wait_ns(uint64_t cpu_ns)
{
    const uint64_t ns = NS_PER_SECOND + NAMES_SHARE * cpu_ns;

    return ns < LONGEST_WAIT_NS ? ns : LONGEST_WAIT_NS;
}

void known_files_take(struct known_files *files, const struct object_result *result,
                      uint64_t now_ns)
{
    struct known_file *file = known_file_of(files, files->job_number);

    reader_shares_add(&files->shares, files->job_cgroup, now_ns - files->job_since_ns);
    files->job_number = 0;
    if (!file)
        return;
    if (files->job_kind == OBJECT_JOB_TABLE) {
        take_table(files, file, result, now_ns);
        file->names_ns = now_ns + NS_PER_SECOND; /* most of what it has sampled is known by then */
        return;
    }
    known_file_settle_functions(files, file);
    if (file->n_asked > 0)
        take_names(files, file, result);
    end_names(file);
    file->names_ns = file->n_hurried > 0 ? 0 : now_ns + wait_ns(result->cpu_ns);
}

void known_files_hurry(struct known_files *files, const bool *is_waited_for, size_t n)
{
    struct known_file *file, *next;

    HASH_ITER(hh, files->by_key, file, next) {
        known_file_settle_functions(files, file);
        file->n_hurried = file->n_wanted;
        while (file->n_hurried > 0) {
            const uint32_t function = file->wanted[file->n_hurried - 1].function;

            if (function < n && is_waited_for[function])
                break;
            file->n_hurried--;
        }
        file->names_ns = file->n_hurried > 0 ? 0 : file->names_ns;
    }
}

bool known_files_is_hurried(const struct known_files *files)
{
    const struct known_file *file, *next;

    HASH_ITER(hh, files->by_key, file, next) {
        if (file->n_hurried > 0 && known_file_may_be_named(file))
            return true;
    }
    return false;
}

void known_files_figures(const struct known_files *files, struct known_files_figures *ret_figures)
{
    struct known_file *file, *next;

    *ret_figures = (struct known_files_figures){.without_number = files->n_without_number,
                                                .without_room = files->n_without_room};
    memcpy(ret_figures->outcomes, files->outcomes, sizeof(files->outcomes));
    HASH_ITER(hh, files->by_key, file, next) {
        ret_figures->n[file->state]++;
        ret_figures->bytes += known_file_bytes(file);
    }
}
