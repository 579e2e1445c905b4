/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The parts of a loaded program, for the files of this folder that work with it. */

#include "sys/bpf/profile/program.h"
#include "sys/perf_ring.h"

struct bpf_link;
struct profile_bpf;
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
    struct bpf_link *lister; /* NULL: the kernel cannot try to take a lock */
    int (*take)(void *context, const struct profile_sample *sample); /* of the present reading */
    void *context;
    size_t next_cpu; /* whose ring is looked at next */
    struct profile_event *events;
};

/*
 * To be called when it is loaded, and before it is unloaded, where mappings are listed by trying to
 * take locks. 0 or -errno.
 */
int profile_listing_begin(struct profile_program *program);
void profile_listing_end(struct profile_program *program);
