/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A temporary directory of files that a test makes as it needs them: a small sysfs, procfs or mount
 * of cgroups. To be included after cmocka.h. Closing it removes all that is below it.
 */

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture_tree {
    char path[64];
    int fd;
};

/* `parent` is a directory that is there. */
static inline struct fixture_tree fixture_tree_open_in(const char *parent)
{
    struct fixture_tree tree;

    (void)snprintf(tree.path, sizeof(tree.path), "%s/pmu_exporter_test_XXXXXX", parent);
    assert_non_null(mkdtemp(tree.path));
    tree.fd = open(tree.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(tree.fd >= 0);
    return tree;
}

static inline struct fixture_tree fixture_tree_open(void)
{
    return fixture_tree_open_in("/tmp");
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

/*
 * Removes a file, or a directory with all that is below it. It goes by descriptors, since trees of
 * some tests are deeper than a path may be long.
 */
static inline void fixture_tree_remove_at(int parent_fd, const char *name)
{
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;

    while (directory && (entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            fixture_tree_remove_at(fd, entry->d_name);
    if (directory)
        (void)closedir(directory);
    assert_int_equal(unlinkat(parent_fd, name, directory ? AT_REMOVEDIR : 0), 0);
}

static inline void fixture_tree_remove(const struct fixture_tree *tree, const char *name)
{
    fixture_tree_remove_at(tree->fd, name);
}

static inline void fixture_tree_close(struct fixture_tree *tree)
{
    assert_int_equal(close(tree->fd), 0);
    fixture_tree_remove_at(AT_FDCWD, tree->path);
}
