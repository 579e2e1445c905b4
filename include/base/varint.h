/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Numbers of seven bits a byte (LEB128), the lowest first, as what is kept is written in.
 * Differences have their sign in the lowest bit. What is read may be damaged: a reader remembers
 * that, and gives 0.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct varint_reader {
    const unsigned char *at, *end;
    bool is_bad;
};

void varint_put(struct text *bytes, uint64_t number);
uint64_t varint_take(struct varint_reader *reader);

/* The difference of two numbers as one that is small where they are near to each other. */
static inline uint64_t varint_of_difference(uint64_t difference)
{
    return (int64_t)difference < 0 ? ~(difference << 1) : difference << 1;
}

static inline uint64_t varint_to_difference(uint64_t number)
{
    return number & 1 ? ~(number >> 1) : number >> 1;
}
