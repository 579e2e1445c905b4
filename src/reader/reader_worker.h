/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A process for one job. */

#include <stdbool.h>
#include <sys/types.h>

#include "reader/reader_limits.h"
#include "reader/reader_message.h"
#include "reader/worker_job.h"

struct reader_work {
    const char *name; /* the process is called NAME_reader, and its workers NAME_worker */
    worker_function *work;
    void (*prepare)(enum object_job_kind kind); /* what the walls would keep it from; or NULL */
    struct reader_limits limits;
};

/* Forks a worker that does the job and ends. Its number, or -errno. */
pid_t reader_worker_fork(const struct reader_work *work, const struct reader_request *request,
                         const int descriptors[]);

/* What it means that a worker ended with this status (wait(2)). */
enum object_outcome reader_worker_outcome(int status, bool was_late);
