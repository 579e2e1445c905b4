/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Tests of the set over the real /proc, with processes that the test starts; each runs where
 * the kernel tells of births and deaths, and where each update reads all of /proc.
 */

#include <time.h>
#include <unistd.h>

#include "target/process_fixture.h"

#include "support/child.h"

/* Where a child waits, says that it has done as told, and tells what it has started. */
struct pipes {
    int go, done, tell;
};

static inline int setup_over_proc(void **state)
{
    static struct fixture fixture;
    int procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (procfs_fd < 0)
        return -1;
    fixture = (struct fixture){.tree.fd = -1};
    fixture_begin(&fixture, procfs_fd, &roomy);
    fixture_add_rule(&fixture, "family", "pmut_parent", true);
    fixture_add_rule(&fixture, "{{.Comm}}", "pmut_a", false);
    fixture_add_rule(&fixture, "{{.Comm}}", "pmut_b", false);
    *state = &fixture;
    return 0;
}

static inline int setup_scanning(void **state)
{
    int r = setup_over_proc(state);

    if (r == 0) {
        struct fixture *fixture = *state;

        fixture->set->is_ours = false; /* as if nothing were permitted */
    }
    return r;
}

static inline int teardown(void **state)
{
    struct fixture *fixture = *state;
    int procfs_fd = fixture->procfs_fd;

    fixture_end(fixture);
    return close(procfs_fd);
}

/* Births and deaths that an update brought, of processes of our own; the machine has others. */
static inline void release_all(struct fixture *fixture)
{
    for (size_t i = 0; i < fixture->changes.n_gone; i++)
        process_targets_release(fixture->set, fixture->changes.gone[i]);
    fixture->changes.n_gone = 0;
}

/* The first update of the set; then the kernel tells, if it is to. */
static inline void first_update(struct fixture *fixture)
{
    fixture_update(fixture);
    if (fixture->set->is_ours && !process_targets_census(fixture->set)->watching) {
        print_message("skipped: no system-wide perf events here (CAP_PERFMON)\n");
        skip();
    }
}

/* Updates until it is told as gone, for a few seconds at most. */
static inline struct process_target *wait_gone(struct fixture *fixture, pid_t pid)
{
    for (int i = 0; i < 500; i++) {
        const struct timespec pause = {.tv_nsec = 10000000};

        fixture_update(fixture);
        if (gone(fixture, pid))
            return gone(fixture, pid);
        release_all(fixture);
        (void)nanosleep(&pause, NULL);
    }
    fail_msg("it is never gone");
    return NULL;
}

/* Both ways. */
#define TEST_BOTH(name)                                                                            \
    {#name ", watching", name, setup_over_proc, teardown, NULL},                                   \
    {                                                                                              \
#name ", scanning", name, setup_scanning, teardown, NULL                                   \
    }
