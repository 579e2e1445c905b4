/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * What the program in the kernel tells of each thing that the scheduler does, in the form in which
 * it stands in the ring. Times are those of bpf_ktime_get_ns(), which is CLOCK_MONOTONIC, for all
 * kinds of records.
 */

#include <linux/types.h>

enum schedule_kind {
    SCHEDULE_RUNS,   /* b has its CPU when recording begins */
    SCHEDULE_SWITCH, /* a leaves its CPU, and b comes */
    SCHEDULE_WAKE,   /* a wakes b; an interrupt wakes in the name of whom it has interrupted */
    SCHEDULE_START,  /* a has started b, which waits for a CPU for the first time */
    SCHEDULE_MOVE,   /* b goes to another CPU; a is who runs where that is decided */
    SCHEDULE_LOSS,   /* `lost` records were the last of the CPU; user space says so at the end */
    SCHEDULE_KIND_COUNT_,
};

/* Flags of a record. */
#define SCHEDULE_A_IS_OURS 1 /* a belongs to the target */
#define SCHEDULE_B_IS_OURS 2

#define SCHEDULE_NAME_SIZE 16

/* A thread; number 0 is the idle task of the CPU. */
struct schedule_task {
    __u32 tid, pid;                /* in the initial PID namespace */
    char name[SCHEDULE_NAME_SIZE]; /* comm: bytes with anything in them, ended by a NUL */
};

struct schedule_record {
    __u64 time_ns;
    __u32 lost; /* so many records of this CPU right before this one found no room in the ring */
    __u16 cpu;  /* where it happened */
    __u8 kind, flags;
    __u32 state; /* SWITCH: the state in which a goes, as in the kernel's sched.h; 0: it could
                    have gone on. MOVE: the CPU that b comes from */
    __u32 to;    /* MOVE: the CPU that b goes to */
    struct schedule_task a, b;
};
