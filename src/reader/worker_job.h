/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a worker does for a job. It runs in a process of its own that may do little more than read
 * these descriptors and write to one (reader/reader_walls.h).
 */

#include <stddef.h>
#include <stdint.h>

#include "reader/object_reader.h"

struct worker_job {
    enum object_job_kind kind;
    int fd;       /* the file */
    int debug_fd; /* or -1 */
    const uint32_t *starts;
    size_t n_starts;
    int output; /* what is written there is the result */
};

/*
 * How a worker does a job. OBJECT_READ: the result is written; another outcome; -errno. -ENOMEM
 * means that it would take more memory than there is for it.
 */
typedef int worker_function(const struct worker_job *job);
