/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a worker writes for its parent. Both are the same program on the same machine, so numbers
 * have its byte order and sizes. Nothing of it is trusted by who reads it.
 */

#include <stdint.h>

#include "profile/code_listing.h"
#include "profile/object_table.h"

#define OBJECT_TABLE_MARK UINT64_C(0x31656c6261746a62)
#define OBJECT_NAMES_MARK UINT64_C(0x3173656d616e6a62)
#define PERF_MAP_MARK     UINT64_C(0x3170616d66726570)
#define CODE_LISTING_MARK UINT64_C(0x3165646f636a626f)

/* Behind it: the rows, the rules, the starts. */
struct object_table_head {
    uint64_t mark;
    uint64_t base;
    uint64_t n_segments;
    uint64_t n_build_id;
    uint64_t has_unwind; /* 0 or 1 */
    uint64_t n_rows, n_rules, n_starts;
    struct object_segment segments[OBJECT_SEGMENTS_MOST];
    uint8_t build_id[OBJECT_BUILD_ID_MOST];
};

/* Behind it: n lengths of two bytes each, then the names that are there, each with a NUL. */
struct object_names_head {
    uint64_t mark;
    uint64_t n;
};

#define OBJECT_NAME_MISSING UINT16_MAX /* instead of a length */

/* Behind it: the rows, n_names lengths of two bytes each, the names, each with a NUL. */
struct perf_map_head {
    uint64_t mark;
    uint64_t n;
    uint64_t n_names;
};

struct perf_map_message_row {
    uint64_t start, end;
    uint64_t name; /* its number */
};

/* Overlaps may make two rows of one line. */
#define PERF_MAP_LINES_MOST ((size_t)200000)
#define PERF_MAP_ROWS_MOST  (2 * PERF_MAP_LINES_MOST)

/*
 * Behind it: n rows (struct code_row), then n + n_files lengths of two bytes each, the texts of the
 * rows and the names of the files, each with a NUL.
 */
struct code_listing_head {
    uint64_t mark;
    uint64_t base;
    uint64_t can_disassemble; /* 0 or 1 */
    uint64_t n;
    uint64_t n_files;
    uint64_t n_build_id;
    uint8_t build_id[OBJECT_BUILD_ID_MOST];
};
