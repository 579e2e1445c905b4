/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A worker that does what it may not, if the file that it is given says so; any other file is read.
 * To be included after cmocka.h.
 */

#include "profile/object_worker.h"
#include "reader/misdeeds.h"

/* What a job asks for stands in front of its file. */
struct order {
    char mark[4];
    int misdeed;
};

static inline int work_or_misbehave(const struct worker_job *job)
{
    struct order order;

    if (pread(job->fd, &order, sizeof(order), 0) != (ssize_t)sizeof(order) ||
        memcmp(order.mark, "DOES", 4) != 0)
        return object_worker_run(job);
    return misbehave((enum misdeed)order.misdeed, job);
}

/* A file that makes the worker do that. */
static inline int order_file(enum misdeed misdeed)
{
    const struct order order = {"DOES", (int)misdeed};
    const int fd = memfd_create("order", MFD_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, &order, sizeof(order)), sizeof(order));
    return fd;
}
