/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Groups of processes in the cycle, over a /proc of files and a kernel of the test's own. */

#include "cycle/collector_fixture.h"
#include "support/fixture_tree.h"

static const char web[] = "linger: 60s\n"
                          "groups: [{name: software, events: [page-faults]}]\n"
                          "targets: {processes: [{name: web, comm: [web], groups: [software]}]}\n";

static struct fixture_tree procfs;

static inline void add_thread(pid_t pid, pid_t thread)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "%d/task/%d/stat", pid, thread);
    fixture_tree_write(&procfs, path, "");
}

static inline void end_thread(pid_t pid, pid_t thread)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "%d/task/%d/stat", pid, thread);
    assert_int_equal(unlinkat(procfs.fd, path, 0), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(unlinkat(procfs.fd, path, AT_REMOVEDIR), 0);
}

static inline void add_child(pid_t pid, const char *comm, unsigned start, pid_t parent)
{
    char path[64], text[256];

    add_thread(pid, pid);
    (void)snprintf(path, sizeof(path), "%d/stat", pid);
    (void)snprintf(text, sizeof(text), "%d (%s) S %d 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %u\n", pid,
                   comm, parent, start);
    fixture_tree_write(&procfs, path, text);
}

static inline void add_process(pid_t pid, const char *comm, unsigned start)
{
    add_child(pid, comm, start, 1);
}

static inline void end_process(pid_t pid)
{
    char name[16];

    (void)snprintf(name, sizeof(name), "%d", pid);
    fixture_tree_remove(&procfs, name);
}

static inline int set_up_procfs(void **state)
{
    struct fixture *f;

    assert_int_equal(set_up(state), 0);
    f = *state;
    procfs = fixture_tree_open();
    f->procfs_fd = procfs.fd;
    return 0;
}

static inline int tear_down_procfs(void **state)
{
    assert_int_equal(tear_down(state), 0);
    fixture_tree_close(&procfs);
    return 0;
}

/* Lets the counters of the thread run and count; nothing if it has none. */
static inline void count_thread(struct fixture *f, pid_t thread, uint64_t faults)
{
    struct fake_event *event = fake_find_thread(&f->perf, PAGE_FAULTS, thread);

    if (!event)
        return;
    event->value += faults;
    event->time_enabled += 1000000;
    event->time_running += 1000000;
}

static inline uint64_t members(const struct fixture *f)
{
    return find(f, "web", COLUMN_MEMBERS)->count;
}

#define PROCFS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_procfs, tear_down_procfs)
