/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Children that do some work when they are told to, and what the kernel tells of how they were
 * scheduled: /proc/PID/schedstat and the switches in /proc/PID/status. To be included after
 * cmocka.h.
 */

#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "support/child.h"

/* A child that does its work each time it is told to, and is blocked in between. */
struct worker {
    pid_t pid;
    int go, done;
};

static inline void end_worker(const struct worker *worker)
{
    child_end(worker->pid);
    (void)close(worker->go);
    (void)close(worker->done);
}

/* What the kernel tells of a task. */
struct told {
    uint64_t ran_ns, waited_ns, n_arrivals, voluntary, involuntary;
    char state;
};

static inline uint64_t number_after(const char *text, const char *key)
{
    const char *found = strstr(text, key);

    assert_non_null(found);
    return strtoull(found + strlen(key), NULL, 10);
}

static inline void read_text(pid_t pid, const char *name, char *text, size_t size)
{
    char path[64];
    ssize_t n;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    n = read(fd, text, size - 1);
    assert_true(n > 0);
    text[n] = '\0';
    (void)close(fd);
}

static inline struct told ask_once(pid_t pid)
{
    char text[4096], state[64];
    struct told told;

    read_text(pid, "schedstat", text, sizeof(text));
    assert_int_equal(sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &told.ran_ns, &told.waited_ns,
                            &told.n_arrivals),
                     3);
    read_text(pid, "status", text, sizeof(text));
    told.voluntary = number_after(text, "\nvoluntary_ctxt_switches:");
    told.involuntary = number_after(text, "nonvoluntary_ctxt_switches:");
    (void)snprintf(state, sizeof(state), "%s", strstr(text, "State:\t"));
    told.state = state[strlen("State:\t")];
    return told;
}

/* What the kernel tells once the worker is blocked: two answers in a row are the same. */
static inline struct told ask(pid_t pid)
{
    struct told last = {0}, told = ask_once(pid);

    while (told.state != 'S' || memcmp(&last, &told, sizeof(told)) != 0) {
        const struct timespec pause = {.tv_nsec = 1000000};

        (void)nanosleep(&pause, NULL);
        last = told;
        told = ask_once(pid);
    }
    return told;
}

/* The worker is blocked when this returns. */
static inline struct worker start_worker(void (*work)(void))
{
    int go[2], done[2];
    struct worker worker;

    assert_int_equal(pipe2(go, O_CLOEXEC), 0);
    assert_int_equal(pipe2(done, O_CLOEXEC), 0);
    worker = (struct worker){.pid = fork(), .go = go[1], .done = done[0]};
    assert_true(worker.pid >= 0);
    if (worker.pid == 0) {
        char byte;

        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)close(go[1]);
        while (read(go[0], &byte, 1) == 1) {
            work();
            (void)!write(done[1], &byte, 1);
        }
        _exit(0);
    }
    (void)close(go[0]);
    (void)close(done[1]);
    (void)ask(worker.pid);
    return worker;
}

/* Has the worker do its work once, and returns what the kernel tells about it. */
static inline struct told work_once(const struct worker *worker)
{
    const struct told before = ask(worker->pid);
    struct told after;
    char byte = 'x';

    assert_int_equal(write(worker->go, &byte, 1), 1);
    assert_int_equal(read(worker->done, &byte, 1), 1);
    after = ask(worker->pid);
    return (struct told){.ran_ns = after.ran_ns - before.ran_ns,
                         .waited_ns = after.waited_ns - before.waited_ns,
                         .n_arrivals = after.n_arrivals - before.n_arrivals,
                         .voluntary = after.voluntary - before.voluntary,
                         .involuntary = after.involuntary - before.involuntary};
}

static inline void stay_on(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    (void)sched_setaffinity(0, sizeof(set), &set);
}
