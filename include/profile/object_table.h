/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What is taken out of a program or library (an ELF file): how its frames are unwound, and where
 * its functions begin. Addresses are those of the file (p_vaddr), less `base`, so that they fit 31
 * bits. Tables are made in a process without rights (reader/object_reader.h), from files that may
 * be hostile, and are checked here before anybody uses them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sys/bpf/profile/unwind.h"

#define OBJECT_BUILD_ID_MOST 64
#define OBJECT_SEGMENTS_MOST 16
#define OBJECT_ROWS_MOST     ((size_t)4 * 1024 * 1024)
#define OBJECT_RULES_MOST    8192
#define OBJECT_STARTS_MOST   ((size_t)2 * 1024 * 1024)

/* An executable part of the file that is mapped (PT_LOAD with PF_X). */
struct object_segment {
    uint64_t offset;  /* in the file */
    uint64_t address; /* p_vaddr, with the base */
    uint64_t size;    /* in the file */
};

/* From this address on, up to the next row, the rule holds. */
struct object_row {
    uint32_t address; /* from the base */
    uint32_t rule;    /* its place in `rules` */
};

/* In `starts`: no function begins here, but the one before has ended. */
#define OBJECT_START_GAP UINT32_C(0x80000000)

struct object_table {
    uint64_t base; /* a multiple of 64 KiB */
    struct object_segment segments[OBJECT_SEGMENTS_MOST];
    size_t n_segments;
    uint8_t build_id[OBJECT_BUILD_ID_MOST];
    size_t n_build_id;       /* 0: it has none */
    bool has_unwind;         /* it has an .eh_frame, or .debug_frame, that says something */
    struct object_row *rows; /* sorted by address, no two of the same address; the first rule of a
                                gap between functions is UNWIND_CFA_NONE */
    size_t n_rows;
    struct unwind_rule *rules; /* no two alike */
    size_t n_rules;
    uint32_t *starts; /* where functions begin (FDEs; symbols where there are no FDEs), sorted by
                         the lower 31 bits, no two alike; OBJECT_START_GAP is set where a function
                         ends and none begins */
    size_t n_starts;
};

struct object_table *object_table_free(struct object_table *table);
DEFINE_AUTO(object_table, struct object_table *, object_table_free)

/*
 * Makes a table of the bytes that a reading process has written. Everything is checked: lengths,
 * that rows and starts are sorted, that rules are there and have values of their enums. 0;
 * -EBADMSG: something does not hold; -ENOMEM.
 */
int object_table_parse(const void *bytes, size_t n, struct object_table **ret_table);

/*
 * Where the function begins that has this address, from the base. False: no function has it, as far
 * as the file tells.
 */
bool object_table_function(const struct object_table *table, uint32_t address, uint32_t *ret_start);

/* From a place in the file to an address from the base. False: it is not executable. */
bool object_table_address(const struct object_table *table, uint32_t place, uint32_t *ret_address);

/* Where the function ends that begins at `start`, from the base: the first address behind it. */
uint32_t object_table_function_end(const struct object_table *table, uint32_t start);

/* Names of functions, in the order in which they were asked for. */
struct object_names {
    size_t n;
    char **names; /* NULL: it has none */
    char *bytes;  /* in which they stand */
};

void object_names_done(struct object_names *names);

/* Likewise; n: how many were asked for. Names are clean UTF-8 of at most OBJECT_NAME_MOST bytes. */
#define OBJECT_NAME_MOST 512
int object_names_parse(const void *bytes, size_t n_bytes, size_t n, struct object_names *ret_names);

/*
 * Functions of code that was made at run time, by a perf map (perf(1): /tmp/perf-PID.map). Of one
 * that is larger than 16 MiB, or has more than 200,000 lines, the end counts.
 */
struct perf_map_row {
    uint64_t start, end; /* addresses in the process */
    const char *name;    /* in `bytes` of the map; clean UTF-8 */
};

struct perf_map {
    struct perf_map_row *rows; /* sorted, none overlapping another: of those that do in the file,
                                  the last one holds */
    size_t n;
    char *bytes;
};

struct perf_map *perf_map_free(struct perf_map *map);
DEFINE_AUTO(perf_map, struct perf_map *, perf_map_free)

/* As object_table_parse(). */
int perf_map_parse(const void *bytes, size_t n, struct perf_map **ret_map);

/* The row that has the address. NULL: none. */
const struct perf_map_row *perf_map_find(const struct perf_map *map, uint64_t address);
