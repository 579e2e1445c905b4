/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A worker that does what it may not. To be included after cmocka.h. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "reader/reader_message.h"
#include "reader/walls_additions.h"
#include "reader/worker_job.h"

/* What a worker is told to do. */
enum misdeed {
    OPENS,
    CONNECTS,
    FORKS,
    EXECUTES,
    MAKES_CODE,
    SIGNALS,
    LOOPS,
    WAITS,
    ALLOCATES,
    RECURSES,
    WRITES,
    CRASHES,
    LIES,
    ANSWERS,
};

static volatile size_t depth;

static inline size_t recurse(size_t n)
{
    volatile char frame[4096];

    frame[n % sizeof(frame)] = (char)n;
    depth = n;
    return n == SIZE_MAX ? 0 : recurse(n + 1) + (size_t)frame[n % sizeof(frame)];
}

static inline int allocate(void)
{
    for (;;) {
        char *block = malloc((size_t)1 << 20);

        if (!block)
            return -ENOMEM;
        memset(block, 1, (size_t)1 << 20);
        __asm__ volatile("" : : "r"(block) : "memory"); /* or a compiler leaves both out */
    }
}

static inline int write_on(int fd)
{
    static const char bytes[65536];

    for (;;)
        if (write(fd, bytes, sizeof(bytes)) < 0)
            return OBJECT_READ;
}

/* Tells whoever hears it, on any descriptor, that the result is there; and goes on. */
static inline void answer_all(void)
{
    const struct reader_reply reply = {.outcome = OBJECT_READ};

    for (int fd = 0; fd < 64; fd++)
        (void)!write(fd, &reply, sizeof(reply));
    for (;;)
        depth++;
}

static inline int misbehave(enum misdeed misdeed, const struct worker_job *job)
{
    static char *const arguments[] = {NULL};
    char byte;

    switch (misdeed) {
    case OPENS:
        (void)!open("/etc/passwd", O_RDONLY | O_CLOEXEC);
        break;
    case CONNECTS:
        (void)!socket(AF_INET, SOCK_STREAM, 0);
        break;
    case FORKS:
        (void)!fork();
        break;
    case EXECUTES:
        (void)!execve("/bin/true", arguments, arguments);
        break;
    case MAKES_CODE:
        (void)!mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        break;
    case SIGNALS:
        (void)!kill(1, 0);
        break;
    case LOOPS:
        for (;;)
            depth++;
    case WAITS:
        (void)!read(job->debug_fd, &byte, 1);
        break;
    case ALLOCATES:
        return allocate();
    case RECURSES:
        return (int)recurse(0);
    case WRITES:
        return write_on(job->output);
    case CRASHES:
        __builtin_trap();
    case LIES:
        (void)!write(job->output, "lies", 4);
        break;
    case ANSWERS:
        answer_all();
    }
    return OBJECT_READ;
}

/* Has each misdeed done by a worker; `refused` asserts that it fails for this reason. */
static inline void assert_misdeeds_refused(void (*refused)(enum misdeed misdeed,
                                                           const char *reason))
{
    static const char killed[] = "its reader crashed, or did what it may not";
    static const char slow[] = "it takes longer than there is time for it";
    static const char large[] = "it takes more memory than there is for it";

    if (!walls_keep_errors) /* a sanitizer opens files to tell what it has found */
        refused(OPENS, killed);
    refused(CONNECTS, killed);
    refused(FORKS, killed);
    refused(EXECUTES, killed);
    refused(MAKES_CODE, killed);
    refused(SIGNALS, killed);
    refused(RECURSES, killed);
    refused(CRASHES, killed);
    refused(LOOPS, slow);
    refused(ANSWERS, slow);
    refused(WRITES, large);
    if (walls_limit_addresses) /* a sanitizer takes terabytes of addresses */
        refused(ALLOCATES, large);
    refused(LIES, "its reader gave no answer");
}

/* Kills the process that has the workers: the only child of this one. */
static inline void kill_reader(void)
{
    char path[64], text[64] = "";
    AUTO_CLOSE int fd = -1;

    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(read(fd, text, sizeof(text) - 1) > 0);
    assert_int_equal(kill((pid_t)atoi(text), SIGKILL), 0);
}
