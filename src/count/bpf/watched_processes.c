/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The program forgets a process when it sees its end. A process that had ended before it was
 * entered is not forgotten, and its number may be given to another process. So the collector looks
 * again at the processes after it has named them, and names them anew; what was named is remembered
 * here, so that it can be taken back.
 *
 * While no process has a slot, the program looks up no process, which saves time at each switch.
 */
#include "count/bpf/watched_processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The processes of one slot. */
struct watched_slot {
    pid_t *processes; /* as they were named, in ascending order; NULL: the slot is not used */
    size_t n;
    bool children;
};

struct watched_processes {
    struct switch_program *program;
    size_t n_slots;
    size_t n_used;
    struct watched_slot slots[];
};

struct watched_processes *watched_processes_new(struct switch_program *program, size_t n_slots)
{
    struct watched_processes *watched =
        calloc(1, sizeof(*watched) + n_slots * sizeof(*watched->slots));

    if (!watched)
        return NULL;
    watched->program = program;
    watched->n_slots = n_slots;
    return watched;
}

struct watched_processes *watched_processes_free(struct watched_processes *watched)
{
    for (size_t i = 0; watched && i < watched->n_slots; i++)
        free(watched->slots[i].processes);
    free(watched);
    return NULL;
}

static int compare(const void *a, const void *b)
{
    const pid_t *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

static bool names(const struct scope *scope, pid_t process)
{
    return bsearch(&process, scope->tasks, scope->n_tasks, sizeof(process), compare);
}

static void take_back_others(struct watched_processes *watched, size_t slot,
                             const struct scope *scope)
{
    const struct watched_slot *before = &watched->slots[slot];

    for (size_t i = 0; i < before->n; i++)
        if (!names(scope, before->processes[i]))
            switch_program_unwatch(watched->program, before->processes[i], slot);
}

/* Enters all processes of a slot, also those that the program may have added as children. */
static int watch_all(struct watched_processes *watched, size_t slot)
{
    const struct watched_slot *entered = &watched->slots[slot];

    for (size_t i = 0; i < entered->n; i++) {
        int r =
            switch_program_watch(watched->program, entered->processes[i], slot, entered->children);

        if (r < 0)
            return r == -E2BIG ? -ENOSPC : r;
    }
    return 0;
}

int watched_processes_set(struct watched_processes *watched, size_t slot, const struct scope *scope)
{
    struct watched_slot *entered = &watched->slots[slot];
    pid_t *processes = calloc(scope->n_tasks + 1, sizeof(*processes));

    if (!processes)
        return -ENOMEM;
    memcpy(processes, scope->tasks, scope->n_tasks * sizeof(*processes));
    take_back_others(watched, slot, scope);
    if (!entered->processes && watched->n_used++ == 0)
        switch_program_set_watching(watched->program, true);
    free(entered->processes);
    *entered = (struct watched_slot){.processes = processes,
                                     .n = scope->n_tasks,
                                     .children = scope->inherit == INHERIT_CHILDREN};
    return watch_all(watched, slot);
}

bool watched_processes_end(struct watched_processes *watched, size_t slot)
{
    struct watched_slot *ended = &watched->slots[slot];

    if (!ended->processes)
        return false;
    for (size_t i = 0; i < ended->n; i++)
        switch_program_unwatch(watched->program, ended->processes[i], slot);
    if (ended->children)
        switch_program_unwatch_slot(watched->program, slot);
    free(ended->processes);
    *ended = (struct watched_slot){0};
    if (--watched->n_used > 0)
        return false;
    switch_program_set_watching(watched->program, false);
    return true;
}
