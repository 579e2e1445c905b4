/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The loop of two instructions a round that the loads of the guest are made of. */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Executes that many instructions, and some around them. */
static inline void known_loop(uint64_t instructions)
{
    uint64_t rounds = instructions / 2;

    if (rounds > 0)
        __asm__ volatile("1: subs %0, %0, #1\n"
                         "b.ne 1b\n"
                         : "+r"(rounds)
                         :
                         : "cc");
}
