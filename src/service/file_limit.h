/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How the limit of open files is shared between connections, counters, and the process itself. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/growing_wait.h"

/* What is to be open beside counters. */
struct file_wishes {
    bool history;       /* databases on a disk */
    bool bpf;           /* a program that counts at each switch */
    unsigned observers; /* of programs that observe, too */
    bool profiles;      /* a program that samples */
    size_t cpus;        /* so many CPUs are sampled */
};

struct file_limit {
    uint64_t limit;           /* The limit RLIMIT_NOFILE that was shared last. */
    uint64_t before;          /* The limit that was shared before the current one. */
    size_t descriptors;       /* The collector may hold so many descriptors open. */
    bool has_bpf;             /* There is room for bpf, which is wanted. */
    bool has_profiles;        /* There is room for profiles, which are wanted. */
    unsigned connections;     /* So many clients may be connected; it is set once, at the start. */
    unsigned for_connection;  /* One connection takes so many descriptors. */
    struct growing_wait wait; /* Before its end a change that could not be followed rests. */
};

/*
 * Raises the limit as far as it goes; a connection takes so many descriptors, which is three with
 * TLS. Logs what goes wrong. 0 or -errno.
 */
int file_limit_init(struct file_limit *files, unsigned for_connection);

/*
 * Computes what each part takes, before any of them is opened, and shares the limit: connections
 * and the process itself come first, then some counters, then bpf, then profiles. The others are
 * for more counters. What has no room is not to be opened.
 */
void file_limit_share(struct file_limit *files, const struct file_wishes *wishes);

/*
 * Looks whether somebody has changed the limit (prlimit(1)). Returns true if so: then it is logged,
 * and a successor of the collector shares it.
 */
bool file_limit_has_changed(struct file_limit *files);

/* Notes that no successor could be made: the change is found again, after a time that grows. */
void file_limit_retry(struct file_limit *files);
