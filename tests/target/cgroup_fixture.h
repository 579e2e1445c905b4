/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A set of cgroup targets over a tree of ordinary directories. The tree is on tmpfs, which gives no
 * inode number out again, like a cgroup file system.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/fixture_tree.h"
#include "target/cgroup_set.h"
#include "target/cgroup_targets.h"

struct fixture {
    struct fixture_tree tree;
    int root_fd; /* the root of the tree, unless a test takes another one */
    struct cgroup_rules *rules;
    struct cgroup_targets *set;
    struct cgroup_changes changes;
};

static const struct cgroup_limits roomy = {1000, 1000, ABSENCE_OVER_LIMIT};

/* Says why the tests cannot run; the exit status for that is 77. */
static inline bool fixture_is_missing(void)
{
    struct statfs status;

    if (statfs("/dev/shm", &status) == 0 && status.f_type == TMPFS_MAGIC &&
        access("/dev/shm", W_OK) == 0)
        return false;
    print_message("skipped: /dev/shm is no tmpfs that can be written to\n");
    return true;
}

/* The directory of each target stays open, so the limit of open files is raised. */
static inline void fixture_raise_descriptors(void)
{
    struct rlimit limit;

    (void)getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

static inline int fixture_setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    fixture->tree = fixture_tree_open_in("/dev/shm");
    fixture->root_fd = fixture->tree.fd;
    fixture_raise_descriptors();
    *state = fixture;
    return cgroup_rules_new(&fixture->rules);
}

static inline int fixture_teardown(void **state)
{
    struct fixture *fixture = *state;

    (void)cgroup_targets_free(fixture->set);
    (void)cgroup_rules_free(fixture->rules);
    fixture_tree_close(&fixture->tree);
    free(fixture);
    return 0;
}

/* Adds a rule that takes what matches `include` and does not match `exclude`, which may be NULL. */
static inline void rule(struct fixture *fixture, const char *include, const char *exclude)
{
    assert_int_equal(cgroup_rules_add(fixture->rules, &include, 1, &exclude, exclude ? 1 : 0), 0);
}

static inline void start(struct fixture *fixture, struct cgroup_limits limits)
{
    assert_int_equal(cgroup_targets_new(fixture->root_fd, fixture->rules, &limits, &fixture->set),
                     0);
}

static inline void update(struct fixture *fixture)
{
    assert_int_equal(cgroup_targets_update(fixture->set, true, &fixture->changes), 0);
}

static inline void make(struct fixture *fixture, const char *path)
{
    assert_int_equal(mkdirat(fixture->root_fd, path + 1, 0755), 0);
}

static inline void destroy(struct fixture *fixture, const char *path)
{
    assert_int_equal(unlinkat(fixture->root_fd, path + 1, AT_REMOVEDIR), 0);
}

static inline struct cgroup_target *find(void *const *list, size_t n, const char *path)
{
    for (size_t i = 0; i < n; i++) {
        struct cgroup_target *target = list[i];

        if (strcmp(target->path, path) == 0)
            return target;
    }
    return NULL;
}

/* The only target that was born in the last update. */
static inline struct cgroup_target *only_born(const struct fixture *fixture)
{
    assert_int_equal(fixture->changes.n_born, 1);
    return fixture->changes.born[0];
}

static inline struct cgroup_target *born(struct fixture *fixture, const char *path)
{
    return find(fixture->changes.born, fixture->changes.n_born, path);
}

static inline struct cgroup_target *gone(struct fixture *fixture, const char *path)
{
    return find(fixture->changes.gone, fixture->changes.n_gone, path);
}

static inline void assert_news(const struct fixture *fixture, size_t n_born, size_t n_gone)
{
    assert_int_equal(fixture->changes.n_born, n_born);
    assert_int_equal(fixture->changes.n_gone, n_gone);
}

static inline const char *info(const struct cgroup_target *target, const char *name)
{
    size_t n;
    const struct label *labels = identity_info(target->identity, &n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(labels[i].name, name) == 0)
            return labels[i].value;
    return NULL;
}

static inline const struct cgroup_census *census(const struct fixture *fixture)
{
    return cgroup_targets_census(fixture->set);
}
