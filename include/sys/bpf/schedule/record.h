/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * What the program in the kernel tells of each thing that the scheduler does, of each request to a
 * block device and each exit of a guest, in the form in which it stands in the ring. Times are
 * those of bpf_ktime_get_ns(), which is CLOCK_MONOTONIC, for all kinds of records.
 */

#include <linux/types.h>

enum schedule_kind {
    SCHEDULE_RUNS,    /* b has its CPU when recording begins */
    SCHEDULE_SWITCH,  /* a leaves its CPU, and b comes */
    SCHEDULE_WAKE,    /* a wakes b; an interrupt wakes in the name of whom it has interrupted */
    SCHEDULE_START,   /* a has started b, which waits for a CPU for the first time */
    SCHEDULE_MOVE,    /* b goes to another CPU; a is who runs where that is decided */
    SCHEDULE_LOSS,    /* `lost` records were the last of the CPU; user space says so at the end */
    SCHEDULE_REQUEST, /* a request to a block device, which a has caused, is completed */
    SCHEDULE_EXIT,    /* a, which is a vCPU, enters its guest again after an exit */
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

/* A request. Times are 0 where they are not known. */
struct schedule_request_part {
    __u64 begun_ns, issued_ns; /* made, and given to the device */
    __u32 device;              /* makedev(3) */
    __u32 operation;           /* enum block_operation */
};

/* An exit of a guest. */
struct schedule_exit_part {
    __u64 begun_ns;
    __u32 isa, code; /* the reason, as in sys/bpf/kvm/counts.h */
    __u32 vcpu;      /* its number in its guest; SCHEDULE_NO_VCPU: it is not known */
    __u32 unused;
};

#define SCHEDULE_NO_VCPU 0xffffffffu

struct schedule_record {
    __u64 time_ns;
    __u32 lost; /* so many records of this CPU right before this one found no room in the ring; a
                   REQUEST leaves it to the next one that is none */
    __u16 cpu;  /* where it happened */
    __u8 kind, flags;
    __u32 state; /* SWITCH: the state in which a goes, as in the kernel's sched.h; 0: it could
                    have gone on. MOVE: the CPU that b comes from. REQUEST: 0, or how it failed,
                    as a negative errno or a blk_status_t: that depends on the kernel */
    __u32 to;    /* MOVE: the CPU that b goes to. REQUEST: its bytes */
    struct schedule_task a;
    union { /* by kind */
        struct schedule_task b;
        struct schedule_request_part request;
        struct schedule_exit_part exit;
    };
};
