/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * Cells by key: what a program in the kernel counts by who, what kind and which. The program
 * (src/sys/bpf/keyed.bpf.h) and who reads its table (sys/bpf/keyed_table.h) share it.
 */

#include <linux/types.h>

struct keyed_key {
    __u32 slot;    /* whose: a slot of the program at each switch (sys/bpf/switch/program.h);
                      SWITCH_PROGRAM_REST: of nobody who has one */
    __u32 detail;  /* what kind of it: an operation, a CPU; each program says */
    __u64 subject; /* which: a device, a system call, a vector; each program says */
};

#define KEYED_DISTRIBUTIONS 2
#define KEYED_BUCKETS       24 /* of each distribution */
#define KEYED_TALLIES       4

/*
 * Distributions of durations, and counts beside them. Bucket i of a distribution counts durations
 * up to 2^(first + i) s that are longer than those of bucket i - 1; the last bucket also all that
 * is longer. `first` is a constant of each program. All numbers only grow; buckets wrap at 2^32.
 */
struct keyed_counts {
    __u64 sums_ns[KEYED_DISTRIBUTIONS];
    __u64 tallies[KEYED_TALLIES];
    __u32 buckets[KEYED_DISTRIBUTIONS][KEYED_BUCKETS];
};

/*
 * The cells stand in an array, which the reader has mapped: so it copies nothing, and asks the
 * kernel for nothing. A hash map has the number of the cell of each key, and a stack the numbers
 * that no key has; the smallest are on top of it, so that the cells that have ever been used stand
 * at the beginning of the array.
 */
struct keyed_cell {
    __u32 owner;   /* 1 + the slot of its key; 0: it has not been used */
    __u32 detail;  /* of its key */
    __u64 subject; /* of its key */
    struct keyed_counts counts;
};

/*
 * What stands before the table where a program is called so often that each instruction matters: an
 * array of places on each CPU, of which a key without detail has one by its hash. It counts there
 * if the place is its own or free, and in the table if it is another one's.
 */
#define KEYED_PLACE_BITS 11
#define KEYED_PLACES     (1 << KEYED_PLACE_BITS) /* on each CPU */

struct keyed_place {
    __u64 key;                    /* 1 + subject, and the slot from bit 32 on; 0: it is free */
    __u64 tallies[KEYED_TALLIES]; /* they only grow */
};
