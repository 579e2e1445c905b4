/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Known files, over copies of a small program that the test makes. */
#include "support/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "profile/known_file.h"
#include "profile/object_work.h"
#include "profile/store_fixture.h"
#include "support/fixture_tree.h"

#define FIXTURE  "profile/fixtures/frames_x86_64.so"
#define FUNCTION 0x400 /* where a function of it begins */
#define BUILD_ID 0x1d8 /* where its build-id stands */
#define NUMBERS  16    /* a quarter of them are kept */
#define FILES    6
#define ROWS     1000
#define PAGES    100
#define RULES    100

struct fixture {
    struct fixture_tree tree;
    struct profile_arrays arrays;
    struct unwind_pool *pool;
    struct profile_store *store;
    struct known_files *files;
    int procfs_fd;
};

static inline int set_up(void **state)
{
    static const struct unwind_pool_size size = {.rows = ROWS, .pages = PAGES, .rules = RULES};
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->tree = fixture_tree_open();
    f->arrays = (struct profile_arrays){.rows = calloc(ROWS, sizeof(*f->arrays.rows)),
                                        .rules = calloc(RULES, sizeof(*f->arrays.rules)),
                                        .pages = calloc(PAGES, sizeof(*f->arrays.pages)),
                                        .files = calloc(NUMBERS, sizeof(*f->arrays.files))};
    f->pool = unwind_pool_new(&f->arrays, &size);
    f->store = store_of(&roomy);
    f->procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->files = known_files_new(&(struct known_files_setup){.arrays = &f->arrays,
                                                           .pool = f->pool,
                                                           .store = f->store,
                                                           .n = NUMBERS,
                                                           .starts_bytes = 1 << 20,
                                                           .procfs_fd = f->procfs_fd});
    assert_non_null(f->files);
    *state = f;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)known_files_free(f->files);
    (void)profile_store_free(f->store);
    (void)unwind_pool_free(f->pool);
    (void)close(f->procfs_fd);
    free(f->arrays.rows);
    free(f->arrays.rules);
    free(f->arrays.pages);
    free(f->arrays.files);
    fixture_tree_close(&f->tree);
    free(f);
    return 0;
}

/* Copies the program into the tree, with a byte of its build-id changed. */
static inline void copy(const struct fixture *f, const char *name, char mark)
{
    char bytes[8192];
    const int from = open_fixture(FIXTURE);
    const int to = openat(f->tree.fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    const ssize_t n = read(from, bytes, sizeof(bytes));

    assert_true(n > BUILD_ID && (size_t)n < sizeof(bytes) && to >= 0);
    bytes[BUILD_ID] = mark;
    assert_int_equal(pwrite(to, bytes, (size_t)n, 0), n);
    (void)close(from);
    (void)close(to);
}

/* A process, which is us, has it mapped at a path: its number. */
static inline uint32_t find_at(const struct fixture *f, const char *name, const char *at)
{
    struct file_sight sight = {.pid = getpid(), .start = 0x1000, .end = 0x2000};
    struct stat status;
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", f->tree.path, name);
    assert_int_equal(stat(path, &status), 0);
    sight.path = at ? at : path;
    sight.key.device = (uint64_t)major(status.st_dev) << 20 | minor(status.st_dev);
    sight.key.inode = status.st_ino;
    return known_files_find(f->files, &sight);
}

static inline uint32_t find(const struct fixture *f, const char *name)
{
    return find_at(f, name, NULL);
}

/* Does jobs until there are none. Returns how many there were. */
static inline size_t read_all(const struct fixture *f, uint64_t now_ns)
{
    struct object_job job;
    size_t n = 0;

    for (; known_files_next_job(f->files, now_ns, &job); n++) {
        const struct worker_job work = {.kind = job.kind,
                                        .fd = job.fd,
                                        .debug_fd = job.debug_fd,
                                        .starts = job.starts,
                                        .n_starts = job.n_starts};
        struct work_result result = do_work(&work);
        const struct object_result of = {
            .outcome = (enum object_outcome)result.r, .bytes = result.bytes, .n = result.n};

        assert_int_equal(result.r, OBJECT_READ);
        known_files_take(f->files, &of, now_ns);
        free(result.bytes);
        (void)close(job.fd);
        if (job.debug_fd >= 0)
            (void)close(job.debug_fd);
    }
    return n;
}
