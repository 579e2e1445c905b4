/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/address_spaces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "profile/extents.h"
#include "sys/process.h"

#define LOOK_AT_EACH_NS (3 * NS_PER_SECOND)

/* A list of mappings in the array, which one or several processes have. */
struct space_list {
    uint32_t first;
    uint32_t n;
    bool lacks_numbers; /* a file of it found none */
    bool is_used;       /* scratch of the sweep */
    bool was_unused;    /* at the sweep before */
    UT_hash_handle hh;
};

/* A process that is being looked at. */
struct space_look {
    struct address_spaces *spaces;
    pid_t pid;
    uint64_t memory;
    struct profile_mapping *mappings;
    size_t n, capacity;
    struct space_change *change;
    int result; /* of those that were entered */
};

struct address_spaces {
    struct profile_program *program;
    struct known_files *files;
    struct profile_mapping *mappings; /* the array that we share with the program */
    struct extents extents;
    struct space_list *lists;
    int procfs_fd;
    size_t n_processes; /* at the last sweep */
    uint64_t without_room;
};

struct address_spaces *address_spaces_new(struct profile_program *program,
                                          struct known_files *files, size_t n, int procfs_fd)
{
    AUTO(address_spaces) struct address_spaces *spaces = calloc(1, sizeof(*spaces));

    if (!spaces)
        return NULL;
    spaces->program = program;
    spaces->files = files;
    spaces->mappings = profile_program_arrays(program).mappings;
    spaces->procfs_fd = procfs_fd;
    return extents_init(&spaces->extents, (uint32_t)n) == 0 ? TAKE(spaces) : NULL;
}

struct address_spaces *address_spaces_free(struct address_spaces *spaces)
{
    struct space_list *list, *next;

    if (!spaces)
        return NULL;
    HASH_ITER(hh, spaces->lists, list, next) {
        HASH_DEL(spaces->lists, list);
        free(list);
    }
    extents_done(&spaces->extents);
    free(spaces);
    return NULL;
}

static struct profile_mapping to_mapping(struct address_spaces *spaces,
                                         const struct profile_vma *vma)
{
    struct profile_mapping mapping = {
        .start = vma->start, .end = vma->end, .file = PROFILE_FILE_ANONYMOUS};
    struct file_sight sight = {
        .key = {.device = vma->device, .inode = vma->inode, .generation = vma->generation},
        .path = vma->path,
        .pid = (pid_t)vma->pid,
        .start = vma->start,
        .end = vma->end,
        .may_stall = vma->may_stall != 0};

    if (vma->kind == PROFILE_VMA_ANONYMOUS)
        return mapping;
    if (vma->kind == PROFILE_VMA_VDSO) {
        sight.key = (struct file_key){0};
        sight.path = "[vdso]";
    }
    mapping.file = known_files_find(spaces->files, &sight);
    mapping.bias = vma->start - (vma->kind == PROFILE_VMA_VDSO ? 0 : vma->offset);
    return mapping;
}

static bool is_same(const struct profile_mapping *a, const struct profile_mapping *b)
{
    return a->start == b->start && a->end == b->end && a->bias == b->bias && a->file == b->file;
}

/* Whether a list has the same mapping. Both are sorted; *at is where the search goes on. */
static bool has_mapping(const struct space_look *look, const struct profile_mapping *mapping,
                        size_t *at)
{
    while (*at < look->n && look->mappings[*at].start < mapping->start)
        (*at)++;
    return *at < look->n && is_same(&look->mappings[*at], mapping);
}

/* Notes which files of the list before are not where they were. */
static void find_lost(const struct space_look *look, const struct profile_process *before)
{
    const struct profile_mapping *list = look->spaces->mappings + before->first;
    struct space_change *change = look->change;
    size_t at = 0;

    for (size_t i = 0; change && i < before->n; i++) {
        if (has_mapping(look, &list[i], &at))
            continue;
        if (change->n_lost < SPACE_LOST_MOST)
            change->lost[change->n_lost] = list[i].file;
        if (change->n_lost <= SPACE_LOST_MOST)
            change->n_lost++;
    }
}

static bool is_same_list(const struct space_look *look, const struct profile_process *before)
{
    if (look->memory != before->memory || look->n != before->n)
        return false;
    for (size_t i = 0; i < look->n; i++)
        if (!is_same(&look->mappings[i], &look->spaces->mappings[before->first + i]))
            return false;
    return true;
}

static bool lacks_numbers(const struct space_look *look)
{
    for (size_t i = 0; i < look->n; i++)
        if (look->mappings[i].file == 0)
            return true;
    return false;
}

/* Takes places for a list. 0, -ENOSPC or -ENOMEM. */
static int add_list(const struct space_look *look, struct extent *ret_extent)
{
    struct address_spaces *spaces = look->spaces;
    struct space_list *list = calloc(1, sizeof(*list));
    int r = list ? extents_take(&spaces->extents, (uint32_t)look->n, ret_extent) : -ENOMEM;

    if (r == 0) {
        list->first = ret_extent->first;
        list->n = ret_extent->n;
        list->lacks_numbers = lacks_numbers(look);
        HASH_ADD(hh, spaces->lists, first, sizeof(list->first), list);
        if (list->hh.tbl)
            return 0;
        (void)extents_give_back(&spaces->extents, *ret_extent);
        r = -ENOMEM;
    }
    free(list);
    return r;
}

/* Enters what was seen of a process. */
static int enter(struct space_look *look)
{
    struct address_spaces *spaces = look->spaces;
    struct profile_process process = {.memory = look->memory, .n = (uint32_t)look->n}, before;
    struct extent extent;
    int r;

    if (look->n == 0)
        return -ESRCH;
    if (profile_program_find_process(spaces->program, look->pid, &before) &&
        before.memory == look->memory) {
        if (is_same_list(look, &before))
            return 0;
        find_lost(look, &before);
    }
    r = add_list(look, &extent);
    spaces->without_room += r == -ENOSPC;
    if (r < 0)
        return r;
    memcpy(spaces->mappings + extent.first, look->mappings, look->n * sizeof(*look->mappings));
    process.first = extent.first;
    r = profile_program_set_process(spaces->program, look->pid, &process);
    spaces->without_room += r == -E2BIG;
    return r;
}

static int take_vma(void *context, const struct profile_vma *vma)
{
    struct space_look *look = context;
    struct profile_mapping *mappings;
    int r;

    if (look->n > 0 && (pid_t)vma->pid != look->pid) {
        r = enter(look);
        look->result = r < 0 ? r : look->result;
        look->n = 0;
    }
    mappings = array_reserve(look->mappings, sizeof(*mappings), &look->capacity, look->n + 1);
    if (!mappings)
        return -ENOMEM;
    look->mappings = mappings;
    look->pid = (pid_t)vma->pid;
    look->memory = vma->memory;
    look->mappings[look->n++] = to_mapping(look->spaces, vma);
    return 0;
}

int address_spaces_look(struct address_spaces *spaces, pid_t pid, struct space_change *ret_change)
{
    struct space_look look = {.spaces = spaces, .pid = pid, .change = ret_change};
    int r;

    *ret_change = (struct space_change){0};
    r = profile_program_list_mappings(spaces->program, pid, take_vma, &look);
    if (r == 0)
        r = enter(&look);
    if (r < 0) { /* it is not gone by what was; when it is sampled it is looked at again */
        profile_program_clear_process(spaces->program, pid);
        ret_change->n_lost = SPACE_LOST_MOST + 1;
    }
    free(look.mappings);
    return r;
}

/*
 * Looks at one process after the other, for a while. -EOPNOTSUPP: the kernel does not show them so;
 * -ETIME: there was no time for all; 0 or -errno.
 */
static int look_at_each(struct address_spaces *spaces)
{
    const uint64_t end_ns = clock_monotonic_ns() + LOOK_AT_EACH_NS;
    AUTO_FREE pid_t *pids = NULL;
    struct space_change change;
    size_t n;
    int r = process_list(spaces->procfs_fd, &pids, &n);

    for (size_t i = 0; r == 0 && i < n; i++)
        if (clock_monotonic_ns() >= end_ns)
            r = -ETIME;
        else if (address_spaces_look(spaces, pids[i], &change) == -EOPNOTSUPP)
            r = -EOPNOTSUPP;
    return r;
}

int address_spaces_look_at_all(struct address_spaces *spaces)
{
    struct space_look look = {.spaces = spaces};
    int r = profile_program_list_mappings(spaces->program, 0, take_vma, &look);

    if (r == 0 && look.n > 0)
        r = enter(&look);
    free(look.mappings);
    /* a process has kept us from those that come after it, but not from each of them */
    if (r == -ETIME)
        return look_at_each(spaces) < 0 ? r : 0;
    return r < 0 ? r : look.result;
}

enum space_part address_spaces_find(const struct address_spaces *spaces, pid_t pid, uint64_t memory,
                                    uint64_t address, uint32_t *ret_file, uint32_t *ret_place)
{
    struct profile_process process;

    if (!profile_program_find_process(spaces->program, pid, &process) || process.memory != memory)
        return SPACE_NOTHING;
    for (uint32_t i = 0; i < process.n; i++) {
        const struct profile_mapping *mapping = &spaces->mappings[process.first + i];

        if (address < mapping->start || address >= mapping->end)
            continue;
        if (mapping->file == PROFILE_FILE_ANONYMOUS)
            return SPACE_ANONYMOUS;
        *ret_file = mapping->file;
        *ret_place = (uint32_t)(address - mapping->bias);
        return SPACE_FILE;
    }
    return SPACE_NOTHING;
}

static bool has_ended(const struct address_spaces *spaces, pid_t pid)
{
    char name[16];

    (void)snprintf(name, sizeof(name), "%d", (int)pid);
    return faccessat(spaces->procfs_fd, name, F_OK, 0) < 0 && errno == ENOENT;
}

/* What a sweep goes through. */
struct sweeping {
    struct address_spaces *spaces;
    const struct space_sweep *sweep;
};

static void mark(void *context, pid_t pid, const struct profile_process *process)
{
    const struct sweeping *sweeping = context;
    struct address_spaces *spaces = sweeping->spaces;
    struct space_list *list;

    if (has_ended(spaces, pid)) {
        profile_program_clear_process(spaces->program, pid);
        return;
    }
    spaces->n_processes++;
    HASH_FIND(hh, spaces->lists, &process->first, sizeof(process->first), list);
    if (!list)
        return;
    list->is_used = true;
    if (list->lacks_numbers && known_files_has_numbers(spaces->files))
        sweeping->sweep->look_again(sweeping->sweep->context, pid);
}

static void mark_files(const struct address_spaces *spaces, const struct space_list *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        known_files_mark(spaces->files, spaces->mappings[list->first + i].file);
}

/* A list goes at the second sweep: a process may have been born while the first one was under way.
 */
void address_spaces_sweep(struct address_spaces *spaces, const struct space_sweep *sweep)
{
    struct sweeping sweeping = {spaces, sweep};
    struct space_list *list, *next;

    spaces->n_processes = 0;
    if (profile_program_visit(spaces->program, mark, &sweeping) < 0)
        return; /* not all was seen: nothing is given up */
    HASH_ITER(hh, spaces->lists, list, next) {
        const bool stays = list->is_used || !list->was_unused;

        list->was_unused = !list->is_used;
        list->is_used = false;
        if (stays) {
            mark_files(spaces, list);
            continue;
        }
        HASH_DEL(spaces->lists, list);
        (void)extents_give_back(&spaces->extents,
                                (struct extent){.first = list->first, .n = list->n});
        free(list);
    }
    known_files_sweep(spaces->files, sweep->now_ns);
}

void address_spaces_figures(const struct address_spaces *spaces,
                            struct address_spaces_figures *ret_figures)
{
    *ret_figures = (struct address_spaces_figures){.processes = spaces->n_processes,
                                                   .mappings = spaces->extents.n_taken,
                                                   .without_room = spaces->without_room};
}
