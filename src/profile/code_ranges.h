/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Parts of the code of a file: functions, most of them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the code, in addresses from the base. */
struct code_range {
    uint32_t start, end;
    bool is_signal; /* here signal handlers return to */
};

struct code_ranges {
    struct code_range *items;
    size_t n, capacity;
};

/* 0 or -ENOMEM. */
int code_ranges_add(struct code_ranges *ranges, const struct code_range *range);

/* Sorts ranges, and cuts off those that overlap the one before. */
void code_ranges_settle(struct code_ranges *ranges);
void code_ranges_done(struct code_ranges *ranges);

#define AUTO_CODE_RANGES __attribute__((cleanup(code_ranges_done)))
