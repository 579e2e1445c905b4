/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A set of processes over the real /proc or over a tree of files. Its rules have comm alone. */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "support/fixture_tree.h"
#include "target/process_set.h"

struct fixture {
    struct fixture_tree tree; /* the files; its fd is -1 for the real /proc */
    int procfs_fd;
    struct process_rules *rules;
    struct process_targets *set;
    struct process_changes changes;
};

static const struct process_limits roomy = {10000, 10000};

static inline void fixture_add_rule(struct fixture *fixture, const char *name, const char *comm,
                                    bool children)
{
    const struct process_rule_spec spec = {
        .name = name, .comm = &comm, .n_comm = 1, .children = children};
    struct process_rule_error error;

    assert_int_equal(process_rules_add(fixture->rules, &spec, &error), 0);
}

static inline void fixture_begin(struct fixture *fixture, int procfs_fd,
                                 const struct process_limits *limits)
{
    fixture->procfs_fd = procfs_fd;
    assert_int_equal(process_rules_new(&fixture->rules), 0);
    assert_int_equal(process_targets_new(procfs_fd, fixture->rules, limits, &fixture->set), 0);
}

static inline void fixture_end(struct fixture *fixture)
{
    fixture->set = process_targets_free(fixture->set);
    fixture->rules = process_rules_free(fixture->rules);
}

static inline void fixture_update(struct fixture *fixture)
{
    assert_int_equal(process_targets_update(fixture->set, &fixture->changes), 0);
}

static inline struct process_target *find_target(void *const *targets, size_t n, pid_t pid)
{
    for (size_t i = 0; i < n; i++) {
        struct process_target *target = targets[i];

        if (target->pid == pid)
            return target;
    }
    return NULL;
}

static inline struct process_target *born_at(const struct fixture *fixture, size_t index)
{
    assert_true(index < fixture->changes.n_born);
    return fixture->changes.born[index];
}

static inline struct process_target *born(const struct fixture *fixture, pid_t pid)
{
    return find_target(fixture->changes.born, fixture->changes.n_born, pid);
}

static inline struct process_target *gone(const struct fixture *fixture, pid_t pid)
{
    return find_target(fixture->changes.gone, fixture->changes.n_gone, pid);
}

static inline void assert_changes(const struct fixture *fixture, size_t n_born, size_t n_gone)
{
    assert_int_equal(fixture->changes.n_born, n_born);
    assert_int_equal(fixture->changes.n_gone, n_gone);
}

/*
 * How many updates had lost records so far. The whole machine fills the rings of records, and
 * nobody can know what a lost record would have told. So a test that needs each record begins again
 * if this has grown.
 */
static inline uint64_t losses(const struct fixture *fixture)
{
    return process_targets_census(fixture->set)->losses;
}

static inline size_t over_limit(const struct fixture *fixture)
{
    return process_targets_census(fixture->set)->uncounted[ABSENCE_OVER_LIMIT];
}

static inline uint64_t dropped(const struct fixture *fixture)
{
    return process_targets_census(fixture->set)->dropped[ABSENCE_OVER_LIMIT];
}
