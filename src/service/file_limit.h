/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How the limit of open files is shared between connections, counters, and the process itself. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/growing_wait.h"

struct file_limit {
    uint64_t limit;           /* The limit RLIMIT_NOFILE that was shared last. */
    uint64_t before;          /* The limit that was shared before the current one. */
    size_t descriptors;       /* The collector may hold so many descriptors open. */
    unsigned connections;     /* So many clients may be connected; it is set once, at the start. */
    unsigned for_connection;  /* One connection takes so many descriptors. */
    struct growing_wait wait; /* Before its end a change that could not be followed rests. */
};

/*
 * Raises the limit as far as it goes, and shares it; a connection takes so many descriptors, which
 * is three with TLS. Logs what goes wrong. 0 or -errno.
 */
int file_limit_init(struct file_limit *files, unsigned for_connection);

/*
 * Looks whether somebody has changed the limit (prlimit(1)). Returns true if so: then it is logged,
 * and `descriptors` is what a successor of the collector may hold now.
 */
bool file_limit_has_changed(struct file_limit *files);

/* Notes that no successor could be made: the change is found again, after a time that grows. */
void file_limit_retry(struct file_limit *files);
