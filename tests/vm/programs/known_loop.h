/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The loop that the loads of the guest are made of; long rounds, since jumps cost qemu time. */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define KNOWN_ROUND 64

/* KNOWN_ROUND instructions, as many times as the register %[rounds] says, at least once. */
#define KNOWN_LOOP                                                                                 \
    "1: .rept 62\n"                                                                                \
    "nop\n"                                                                                        \
    ".endr\n"                                                                                      \
    "subs %[rounds], %[rounds], #1\n"                                                              \
    "b.ne 1b\n"

/* Ends the program where the text is not a number. */
static inline uint64_t known_number(const char *text)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);

    if (*end || end == text) {
        fprintf(stderr, "not a number: %s\n", text);
        exit(2);
    }
    return value;
}

static inline int known_open(const char *path)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0) {
        perror(path);
        exit(1);
    }
    return fd;
}

/* Executes that many instructions, less what is not a whole round, and some around them. */
static inline void known_loop(uint64_t instructions)
{
    uint64_t rounds = instructions / KNOWN_ROUND;

    if (rounds > 0)
        __asm__ volatile(KNOWN_LOOP : [rounds] "+r"(rounds) : : "cc");
}
