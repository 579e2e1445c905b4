/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The memory that our own cgroup may take, as it is looked at before each cycle. */

#include "sys/memory_limit.h"

struct memory_watch {
    struct memory_limit limit;
    struct memory_room room; /* At the last look. */
};

void memory_watch_init(struct memory_watch *watch);
void memory_watch_done(struct memory_watch *watch);

/* Looks how it stands. Logs a limit that is new. Returns true if there is more than before. */
bool memory_watch_look(struct memory_watch *watch, int procfs_fd);
