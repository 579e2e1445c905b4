/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The work of a worker, done by the test itself. To be included after cmocka.h. */

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/object_table.h"
#include "profile/object_worker.h"

struct work_result {
    int r; /* what the work has returned */
    char *bytes;
    size_t n;
};

/* Memory that has these bytes, as a file. */
static inline int memory_file(const void *bytes, size_t n)
{
    const int fd = memfd_create("input", MFD_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, n), n);
    return fd;
}

/* The whole of a file that was written. */
static inline struct work_result read_output(int fd, int r)
{
    struct work_result result = {.r = r};
    struct stat status;

    assert_int_equal(fstat(fd, &status), 0);
    result.n = (size_t)status.st_size;
    result.bytes = malloc(result.n + 1);
    assert_non_null(result.bytes);
    assert_int_equal(pread(fd, result.bytes, result.n, 0), result.n);
    return result;
}

static inline struct work_result do_work(const struct worker_job *job)
{
    struct worker_job whole = *job;
    struct work_result result;

    whole.output = memory_file("", 0);
    result = read_output(whole.output, object_worker_run(&whole));
    (void)close(whole.output);
    return result;
}

/* Makes the table of a file, which has to go well. */
static inline struct object_table *table_of(int fd)
{
    const struct worker_job job = {.kind = OBJECT_JOB_TABLE, .fd = fd, .debug_fd = -1};
    struct work_result result = do_work(&job);
    struct object_table *table = NULL;

    assert_int_equal(result.r, OBJECT_READ);
    assert_int_equal(object_table_parse(result.bytes, result.n, &table), 0);
    free(result.bytes);
    return table;
}

/* A file below tests/, in which tests run. */
static inline int open_fixture(const char *name)
{
    const int fd = open(name, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    return fd;
}
