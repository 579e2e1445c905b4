/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The program in the kernel that records what the scheduler does with the threads of a target,
 * their requests to block devices and the exits of their guests. It belongs to one thread at a
 * time. It takes Linux 5.11 with BTF, and CAP_BPF and CAP_PERFMON.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "sys/bpf/refusal.h"
#include "sys/bpf/schedule/record.h"

/* Bounds of the ring; its size is a power of two. */
#define SCHEDULE_RING_LEAST ((size_t)64 * 1024)
#define SCHEDULE_RING_MOST  ((size_t)1024 * 1024 * 1024)

/* Whose threads are recorded; everything is borrowed. cgroup and processes both unset: all. */
struct schedule_wish {
    size_t n_cpus;          /* one more than the highest number of a CPU that can be there */
    size_t ring_bytes;      /* rounded up to a power of two within the bounds */
    uint64_t cgroup;        /* the id of a cgroup, which is meant with all below it; 0: none */
    bool is_v1;             /* of the hierarchy that perf_event has in v1 */
    const pid_t *processes; /* these, and what they start; NULL: none */
    size_t n_processes;
};

/* What is recorded beside the scheduler, where the kernel lets us. */
enum schedule_part {
    SCHEDULE_PART_REQUESTS, /* to block devices */
    SCHEDULE_PART_EXITS,    /* of guests of KVM */
    SCHEDULE_PARTS,
};

struct schedule_program;

/*
 * Loads it; it does not record yet. A part that the kernel refuses is left out. On failure
 * *ret_refusal tells why not even the scheduler can be recorded. 0 or -errno.
 */
int schedule_program_load(const struct schedule_wish *wish, struct schedule_program **ret_program,
                          enum bpf_refusal *ret_refusal);
struct schedule_program *schedule_program_free(struct schedule_program *program);
DEFINE_AUTO(schedule_program, struct schedule_program *, schedule_program_free)

/* Why a part is not recorded; BPF_REFUSAL_NONE: it is. */
enum bpf_refusal schedule_program_refusal(const struct schedule_program *program,
                                          enum schedule_part part);

/* Our own process number as the program sees it, in the initial PID namespace; or -errno. */
pid_t schedule_program_own_number(const struct schedule_program *program);

/*
 * Begins to record. For each CPU that is online there is a record of who runs, as soon as it can be
 * had.
 */
void schedule_program_begin(struct schedule_program *program);

/* Ends it. What stands in the ring can still be read. */
void schedule_program_end(struct schedule_program *program);

/*
 * Hands over what has come since the last call: of each CPU in the order of time, but those of
 * different CPUs, and requests, may stand a little out of order. What `take` returns is 0 or
 * -errno, which ends the reading: a machine that is busy enough would fill the ring for as long as
 * it is read. 0 or -errno.
 */
int schedule_program_read(struct schedule_program *program,
                          int (*take)(void *context, const struct schedule_record *record),
                          void *context);

/* How many records of a CPU found no room in the ring since the last one that did. */
uint32_t schedule_program_untold(const struct schedule_program *program, size_t cpu);

/*
 * How many records found no room in the ring, on all CPUs, and how many requests and exits could
 * not be remembered until they ended.
 */
uint64_t schedule_program_lost(const struct schedule_program *program);
