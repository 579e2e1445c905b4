/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/changed_processes.h"

#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* A storm of processes is not remembered whole: what is sampled again is noted again. */
#define MOST 4096

struct entry {
    struct changed_process process;
    UT_hash_handle hh;
};

struct changed_processes {
    struct entry *entries; /* in the order in which they were noted */
    bool doubts_all;
};

struct changed_processes *changed_processes_new(void)
{
    return calloc(1, sizeof(struct changed_processes));
}

struct changed_processes *changed_processes_free(struct changed_processes *changed)
{
    struct entry *entry, *next;

    if (!changed)
        return NULL;
    HASH_ITER(hh, changed->entries, entry, next) {
        HASH_DEL(changed->entries, entry);
        free(entry);
    }
    free(changed);
    return NULL;
}

static struct entry *find(const struct changed_processes *changed, pid_t pid)
{
    struct entry *entry;

    HASH_FIND(hh, changed->entries, &pid, sizeof(pid), entry);
    return entry;
}

bool changed_processes_note(struct changed_processes *changed, pid_t pid, uint64_t time_ns)
{
    struct entry *entry = find(changed, pid);

    if (!entry && HASH_COUNT(changed->entries) < MOST)
        entry = calloc(1, sizeof(*entry));
    if (!entry)
        return false;
    if (!entry->hh.tbl) {
        entry->process = (struct changed_process){.pid = pid, .since_ns = UINT64_MAX};
        HASH_ADD(hh, changed->entries, process.pid, sizeof(pid), entry);
        if (!entry->hh.tbl) {
            free(entry);
            return false;
        }
    }
    if (time_ns < entry->process.since_ns)
        entry->process.since_ns = time_ns;
    return true;
}

void changed_processes_doubt_all(struct changed_processes *changed)
{
    changed->doubts_all = true;
}

struct changed_process *changed_processes_find(struct changed_processes *changed, pid_t pid)
{
    struct entry *entry = find(changed, pid);

    return entry && !entry->process.was_looked_at ? &entry->process : NULL;
}

struct changed_process *changed_processes_next(struct changed_processes *changed)
{
    struct entry *entry, *next;

    HASH_ITER(hh, changed->entries, entry, next)
        if (!entry->process.was_looked_at)
            return &entry->process;
    return NULL;
}

void changed_processes_note_all(struct changed_processes *changed)
{
    struct entry *entry, *next;

    HASH_ITER(hh, changed->entries, entry, next) {
        entry->process.was_looked_at = true;
        entry->process.change.n_lost = SPACE_LOST_MOST + 1;
    }
}

const struct space_change *changed_processes_change(const struct changed_processes *changed,
                                                    pid_t pid, uint64_t time_ns)
{
    static const struct space_change all = {.n_lost = SPACE_LOST_MOST + 1};
    const struct entry *entry = find(changed, pid);

    if (!entry)
        return changed->doubts_all ? &all : NULL;
    if (time_ns < entry->process.since_ns)
        return NULL;
    if (!entry->process.was_looked_at)
        return &all; /* there was no time for it */
    return entry->process.change.n_lost > 0 ? &entry->process.change : NULL;
}

void changed_processes_forget(struct changed_processes *changed)
{
    struct entry *entry, *next;

    changed->doubts_all = false;
    HASH_ITER(hh, changed->entries, entry, next)
        if (entry->process.was_looked_at) {
            HASH_DEL(changed->entries, entry);
            free(entry);
        }
}
