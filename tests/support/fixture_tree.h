/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A directory of files that a test makes at run time: a small sysfs or procfs. cmocka.h before. */

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture_tree {
    char path[64];
    int fd;
};

static inline struct fixture_tree fixture_tree_open(void)
{
    struct fixture_tree tree = {.path = "/tmp/pmu_exporter_test_XXXXXX"};

    assert_non_null(mkdtemp(tree.path));
    tree.fd = open(tree.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(tree.fd >= 0);
    return tree;
}

/* Makes every directory of the path up to its last slash. */
static inline void fixture_tree_make_directories(const struct fixture_tree *tree, const char *path)
{
    char directory[512];

    assert_true(strlen(path) < sizeof(directory));
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        memcpy(directory, path, (size_t)(slash - path));
        directory[slash - path] = '\0';
        (void)mkdirat(tree->fd, directory, 0755); /* it may be there */
    }
}

static inline void fixture_tree_write(const struct fixture_tree *tree, const char *path,
                                      const char *content)
{
    ssize_t length = (ssize_t)strlen(content);
    int fd;

    fixture_tree_make_directories(tree, path);
    fd = openat(tree->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_true(write(fd, content, (size_t)length) == length);
    assert_int_equal(close(fd), 0);
}

static inline int fixture_tree_remove_one(const char *path, const struct stat *stat, int type,
                                          struct FTW *place)
{
    (void)stat;
    (void)type;
    (void)place;
    return remove(path);
}

static inline void fixture_tree_close(struct fixture_tree *tree)
{
    assert_int_equal(close(tree->fd), 0);
    assert_int_equal(nftw(tree->path, fixture_tree_remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}
