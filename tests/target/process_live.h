/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * For tests of the set over the real /proc, with processes that the test starts. Each test runs
 * twice: once the kernel tells of births and ends, and once each update reads all of /proc.
 */

#include <time.h>
#include <unistd.h>

#include "target/process_fixture.h"

#include "support/child.h"

/* Names (comm) that only our processes have, so that no rule here matches those of other tests. */
static char name_parent[32], name_a[32], name_b[32];

/* How often a test begins again if records were lost. */
#define ATTEMPTS 50

/* A child waits here for a command, says that it is done, and writes which process it has started.
 */
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
    (void)snprintf(name_parent, sizeof(name_parent), "parent.%d", getpid());
    (void)snprintf(name_a, sizeof(name_a), "a.%d", getpid());
    (void)snprintf(name_b, sizeof(name_b), "b.%d", getpid());
    fixture_begin(&fixture, procfs_fd, &roomy);
    fixture_add_rule(&fixture, "family", name_parent, true);
    fixture_add_rule(&fixture, "{{.Comm}}", name_a, false);
    fixture_add_rule(&fixture, "{{.Comm}}", name_b, false);
    *state = &fixture;
    return 0;
}

static inline int setup_scanning(void **state)
{
    int r = setup_over_proc(state);

    if (r == 0) {
        struct fixture *fixture = *state;

        fixture->set->is_ours = false; /* as if the kernel permitted no records */
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

/* The first update of the set. After it the kernel tells of births, if the test wants that. */
static inline void first_update(struct fixture *fixture)
{
    fixture_update(fixture);
    if (fixture->set->is_ours && !process_targets_census(fixture->set)->watching) {
        print_message("skipped: no system-wide perf events here (CAP_PERFMON)\n");
        skip();
    }
}

/* Waits between two looks at what comes in its own time. There are WAITS looks at most. */
#define WAITS 3000

static inline void wait_a_little(void)
{
    const struct timespec pause = {.tv_nsec = 10000000};

    (void)nanosleep(&pause, NULL);
}

/* Updates until the set reports that the target is gone, for half a minute at most. */
static inline struct process_target *wait_gone(struct fixture *fixture, pid_t pid)
{
    for (int i = 0; i < WAITS; i++) {
        fixture_update(fixture);
        if (gone(fixture, pid))
            return gone(fixture, pid);
        release_all(fixture);
        wait_a_little();
    }
    fail_msg("it is never gone");
    return NULL;
}

/* Repeats an attempt until it returns true. It returns false if records that it needs were lost. */
static inline void until_all_is_told(struct fixture *fixture, bool (*attempt)(struct fixture *))
{
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        (void)usleep(i * 10000); /* other tests may come to rest meanwhile */
        fixture_update(fixture);
        if (attempt(fixture))
            return;
    }
    print_message(
        "skipped: so busy is this machine that records were lost in each of %d attempts\n",
        ATTEMPTS);
    skip();
}

/* Runs a test in both ways. */
#define TEST_BOTH(name)                                                                            \
    {#name ", watching", name, setup_over_proc, teardown, NULL},                                   \
    {                                                                                              \
#name ", scanning", name, setup_scanning, teardown, NULL                                   \
    }
