/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Processes whose mappings are to be looked at, and what has changed in those that were. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "profile/address_spaces.h"

struct changed_processes;

struct changed_process {
    pid_t pid;
    uint64_t since_ns; /* CLOCK_MONOTONIC of the first change that is not known; UINT64_MAX: none */
    bool was_looked_at;
    struct space_change change; /* what the look has found */
};

/* NULL: no memory. */
struct changed_processes *changed_processes_new(void);
struct changed_processes *changed_processes_free(struct changed_processes *changed);
DEFINE_AUTO(changed_processes, struct changed_processes *, changed_processes_free)

/*
 * The process has changed at that time; UINT64_MAX: it has not, as far as is known, but is to be
 * looked at. False: there is no room, or no memory.
 */
bool changed_processes_note(struct changed_processes *changed, pid_t pid, uint64_t time_ns);

/* Any process may have changed: until they are forgotten, those that were not noted are in doubt.
 */
void changed_processes_doubt_all(struct changed_processes *changed);

/* The process, if it was noted and not looked at yet; else NULL. */
struct changed_process *changed_processes_find(struct changed_processes *changed, pid_t pid);

/* One that was not looked at yet, the one that waits longest first. NULL: none. */
struct changed_process *changed_processes_next(struct changed_processes *changed);

/* All were looked at, and what has changed is not known in detail. */
void changed_processes_note_all(struct changed_processes *changed);

/* What is in doubt of a sample of that time. NULL: nothing. */
const struct space_change *changed_processes_change(const struct changed_processes *changed,
                                                    pid_t pid, uint64_t time_ns);

/* Ends those that were looked at, and doubts about all. */
void changed_processes_forget(struct changed_processes *changed);
