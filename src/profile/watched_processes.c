/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A process is known by its number and its start, because a number may be given again within a
 * round: what has ended is taken back before anybody is told. What a process consists of is
 * remembered as it was told, so that it can be taken back; what it has started since, the program
 * has learned by itself, and forgets as it ends.
 */
#include "profile/watched_processes.h"

#include <errno.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct key {
    uint64_t pid, start_ticks;
};

struct watched_process {
    struct key key;
    uint32_t number;
    bool children;
    uint64_t round;   /* in which it was named last */
    uint64_t program; /* that knows of it; 0: none */
    uint32_t told_number;
    pid_t *told;
    size_t n_told;
    UT_hash_handle hh;
};

static void drop(struct watched_processes *processes, struct watched_process *process)
{
    HASH_DEL(processes->by_process, process);
    free(process->told);
    free(process);
}

void watched_processes_done(struct watched_processes *processes)
{
    struct watched_process *process, *next;

    HASH_ITER(hh, processes->by_process, process, next)
        drop(processes, process);
}

void watched_processes_forget(struct watched_processes *processes)
{
    processes->program++;
}

void watched_processes_begin_round(struct watched_processes *processes)
{
    processes->round++;
}

static struct key key_of(const struct profile_watched *process)
{
    return (struct key){(uint64_t)process->pid, process->start_ticks};
}

/* Few processes have the same number within a round. */
static unsigned hash(const struct key *key)
{
    return (unsigned)key->pid;
}

static struct watched_process *find(const struct watched_processes *processes,
                                    const struct profile_watched *watched)
{
    const struct key key = key_of(watched);
    struct watched_process *process;

    HASH_FIND_BYHASHVALUE(hh, processes->by_process, &key, sizeof(key), hash(&key), process);
    return process;
}

/* NULL: no memory. */
static struct watched_process *enter(struct watched_processes *processes,
                                     const struct profile_watched *watched)
{
    struct watched_process *process = calloc(1, sizeof(*process));

    if (!process)
        return NULL;
    process->key = key_of(watched);
    HASH_ADD_BYHASHVALUE(hh, processes->by_process, key, sizeof(process->key), hash(&process->key),
                         process);
    if (process->hh.tbl)
        return process;
    free(process);
    return NULL;
}

bool watched_processes_name(struct watched_processes *processes, uint32_t number,
                            const struct profile_watched *process)
{
    struct watched_process *known = find(processes, process);

    if (!known)
        known = enter(processes, process);
    if (!known)
        return false;
    if (known->number != number || known->children != process->children)
        known->program = 0;
    known->number = number;
    known->children = process->children;
    known->round = processes->round;
    return known->program != processes->program;
}

static void take_back(const struct watched_process *process, struct profile_program *program)
{
    for (size_t i = 0; i < process->n_told; i++)
        profile_program_unwatch(program, process->told[i], process->told_number);
}

int watched_processes_tell(struct watched_processes *processes, struct profile_program *program,
                           const struct profile_watched *process, const pid_t *pids, size_t n)
{
    struct watched_process *known = find(processes, process);
    pid_t *told = calloc(n + 1, sizeof(*told));
    int r = 0;

    if (!known || !told) {
        free(told);
        return -ENOMEM;
    }
    take_back(known, program);
    memcpy(told, pids, n * sizeof(*pids));
    free(known->told);
    known->told = told;
    known->n_told = n;
    known->told_number = known->number;
    for (size_t i = 0; i < n && r == 0; i++)
        r = profile_program_watch(program, pids[i], known->number, known->children);
    known->program = r == 0 ? processes->program : 0;
    return r;
}

void watched_processes_end_round(struct watched_processes *processes,
                                 struct profile_program *program)
{
    struct watched_process *process, *next;

    HASH_ITER(hh, processes->by_process, process, next) {
        if (process->round == processes->round)
            continue;
        if (program)
            take_back(process, program);
        drop(processes, process);
    }
}
