/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The parts of a loaded program, for the files of this folder that work with it. */

#include "sys/bpf/profile/program.h"
#include "sys/perf_ring.h"

struct profile_bpf;
struct profile_reading;
struct ring_buffer;

/* The event that samples a CPU. The kernel tells of new mappings in its ring. */
struct profile_event {
    int fd; /* -1: the CPU is not sampled */
    struct perf_ring ring;
};

struct profile_program {
    struct profile_program_size size;
    struct profile_bpf *skeleton;
    struct profile_arrays arrays;
    struct ring_buffer *ring;
    struct profile_reading *reading; /* NULL: it is made when it is needed */
    int (*take)(void *context, const struct profile_sample *sample); /* of the present reading */
    void *context;
    uint64_t lost_seen; /* samples that found no room, as of the last reading of them */
    uint64_t lost_told; /* of those, how many were told */
    size_t next_cpu;    /* whose ring is looked at next */
    struct profile_event *events;
};
