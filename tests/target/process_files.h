/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A set of processes over a tree of files. No kernel tells of births and ends there, so each update
 * reads all files.
 */

#include "target/process_fixture.h"

struct file_process {
    pid_t pid;
    const char *comm;
    pid_t parent;
    unsigned start;
    char state;       /* 0 means S */
    unsigned threads; /* 0 means 1 */
    bool kernel_thread;
    bool exiting;
};

static inline void write_process(const struct fixture *fixture, struct file_process process)
{
    char path[64], text[256];

    (void)snprintf(path, sizeof(path), "%d/task/%d/", process.pid, process.pid);
    fixture_tree_make_directories(&fixture->tree, path);
    (void)snprintf(path, sizeof(path), "%d/stat", process.pid);
    (void)snprintf(text, sizeof(text), "%d (%s) %c %d 1 1 0 -1 %u 0 0 0 0 0 0 0 0 20 0 %u 0 %u\n",
                   process.pid, process.comm, process.state ? process.state : 'S', process.parent,
                   (process.kernel_thread ? 0x200000U : 0U) | (process.exiting ? 4U : 0U),
                   process.threads ? process.threads : 1, process.start);
    fixture_tree_write(&fixture->tree, path, text);
    (void)snprintf(path, sizeof(path), "%d/comm", process.pid);
    (void)snprintf(text, sizeof(text), "%s\n", process.comm);
    fixture_tree_write(&fixture->tree, path, text);
}

#define PROCESS(...) write_process(fixture, (struct file_process){__VA_ARGS__})

static inline void end(const struct fixture *fixture, pid_t pid)
{
    char name[16];

    (void)snprintf(name, sizeof(name), "%d", pid);
    fixture_tree_remove(&fixture->tree, name);
}

static inline int setup_limited(void **state, const struct process_limits *limits)
{
    static struct fixture fixture;

    fixture = (struct fixture){.tree = fixture_tree_open()};
    fixture_begin(&fixture, fixture.tree.fd, limits);
    fixture_add_rule(&fixture, "family", "parent", true);
    fixture_add_rule(&fixture, "{{.Comm}}", "web", false);
    fixture_add_rule(&fixture, "data", "base", false);
    fixture_add_rule(&fixture, "kernel", "kworker/0:1H", false);
    *state = &fixture;
    return 0;
}

static inline int teardown(void **state)
{
    struct fixture *fixture = *state;

    fixture_end(fixture);
    fixture_tree_close(&fixture->tree);
    return 0;
}
