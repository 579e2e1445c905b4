/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The lines of a perf map: "START SIZE name", both in hexadecimal digits. */

#include <stddef.h>
#include <stdint.h>

struct map_line {
    uint64_t start, end;
    const char *name; /* in the text */
    size_t length;
    size_t number; /* of the line: the greater, the later it was written */
};

struct map_lines {
    struct map_line *lines;
    size_t n, capacity;
};

/*
 * Takes lines out of a text; others are left out, and of more than `most` the first. 0 or -ENOMEM.
 */
int map_lines_parse(const char *text, size_t n, size_t most, struct map_lines *ret_lines);
void map_lines_done(struct map_lines *lines);

#define AUTO_MAP_LINES __attribute__((cleanup(map_lines_done)))
