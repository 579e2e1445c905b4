/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* What is counted of requests of block devices (sys/bpf/block/program.h), in cells by key. */

/* What a request does: `detail` of its key. `subject` is the dev_t of the disk, by makedev(). */
enum block_operation {
    BLOCK_READ,
    BLOCK_WRITE, /* also to the end of a zone */
    BLOCK_DISCARD,
    BLOCK_FLUSH, /* of the device's own cache */
    BLOCK_OTHER, /* zeroes that are not sent, zones, commands of programs */
    BLOCK_OPERATIONS,
};

/* The distributions of a cell. The first bucket of each ends at 2^BLOCK_FIRST_EXPONENT s. */
enum block_distribution {
    /* from when it was given to the device, the last time if that was repeated, to its end */
    BLOCK_LATENCY,
    /* from its beginning until then; none while the queue's `iostats` are off */
    BLOCK_QUEUED,
};

#define BLOCK_FIRST_EXPONENT (-20) /* 1 us, and the last but one 4 s */

/* The tallies of a cell. */
enum block_tally {
    BLOCK_REQUESTS, /* those with a latency and those without */
    BLOCK_BYTES,    /* also of those that failed, as in /proc/diskstats */
    BLOCK_ERRORS,   /* that failed, or a part of which failed */
    BLOCK_UNKNOWN,  /* whose latency is not known: it was given to the device before the program
                       was there, or more were on their way than can be remembered */
};
