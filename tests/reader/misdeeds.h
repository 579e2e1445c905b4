/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A worker that does what it may not. To be included after cmocka.h. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "reader/reader_message.h"
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
