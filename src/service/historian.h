/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The history as the service keeps it: where, how much, and what the log tells of it. */

#include <stdbool.h>

#include "config/config.h"
#include "history/history.h"
#include "sys/memory_limit.h"

struct historian {
    struct history *history;      /* NULL: none is kept */
    bool has_directory;           /* somebody has said where; else memory is what is wanted */
    uint64_t memory_limit;        /* the limit of memory by which its own was chosen */
    struct history_status logged; /* what the log has told */
};

/* Whether there is a directory for the history: this one, or that of systemd. */
bool historian_has_directory(const char *directory);

/*
 * Starts the history, if the configuration wants one, in this directory, or in that of systemd
 * ($STATE_DIRECTORY), or in memory. What goes wrong is logged, and the service goes on.
 */
void historian_start(struct historian *historian, const char *directory,
                     const struct config *config, const struct memory_room *memory);

/* After each cycle: records the snapshot, and logs what has changed. */
void historian_cycle(struct historian *historian, struct snapshot_slot *slot);

/*
 * After a reload, and where the limit of memory is another one. Whether there is a history at all
 * does not change before a restart.
 */
void historian_reconfigure(struct historian *historian, const struct config *config,
                           const struct memory_room *memory);

void historian_stop(struct historian *historian);
