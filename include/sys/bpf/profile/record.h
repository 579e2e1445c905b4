/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* What the program in the kernel tells of each sample, in the form in which it stands in the ring.
 */

#include <linux/types.h>

/* How far the user stack was unwound. A stack that does not reach its root says why. */
enum profile_outcome {
    PROFILE_COMPLETE,   /* to its root; also that of a kernel thread, which has no user stack */
    PROFILE_TRUNCATED,  /* it has more frames than a sample has room for */
    PROFILE_YOUNG,      /* what the process has mapped is not known yet: there is the leaf alone */
    PROFILE_NO_MAPPING, /* a caller stands where nothing executable was known to be mapped */
    PROFILE_NO_TABLE,   /* the last frame is in a file whose table is not there (yet) */
    PROFILE_NO_RULE,    /* the table of the last frame's file says nothing of the place */
    PROFILE_UNREADABLE, /* a part of the stack could not be read from the interrupt */
    PROFILE_BROKEN,     /* the stack would have gone down, or a frame pointer leads nowhere */
    /* User space says so: */
    PROFILE_CHANGED,       /* the process had other mappings than the walk went by */
    PROFILE_NOT_LOOKED_AT, /* what it has mapped could not be told in time */
    PROFILE_LOST,          /* there was no room for the sample on its way: nothing is known of it */
    PROFILE_OUTCOME_COUNT_,
};

#define PROFILE_FRAMES_MOST        255 /* of both stacks together */
#define PROFILE_USER_FRAMES_MOST   128
#define PROFILE_KERNEL_FRAMES_MOST 127

#define PROFILE_COMM_SIZE 16

/*
 * A frame of the user stack. In a file: the number of the file in the upper half, and the place in
 * it in the lower half. Elsewhere: PROFILE_FRAME_ADDRESS and the address in
 * the process. The address of a caller is one before where it goes on: within the call.
 */
#define PROFILE_FRAME_ADDRESS (1ULL << 63)

/* Whose a sample is. */
struct profile_target_numbers {
    __u32 cgroup, process; /* as in struct profile_sample */
};

/* How many samples found no room in the ring, and when (CLOCK_MONOTONIC; 0: that is not known). */
struct profile_loss {
    __u64 n, first_ns, last_ns;
};

/* And whose they were. */
struct profile_lost {
    struct profile_target_numbers whose;
    struct profile_loss loss;
};

/*
 * Behind it stand the frames, words of 64 bits: n_kernel addresses in the kernel, then n_user
 * frames of the user stack, both from the leaf to the root.
 */
struct profile_sample {
    __u64 time_ns; /* CLOCK_MONOTONIC */
    __u64 memory;  /* its mm_struct, as in struct profile_vma; 0: it has none */
    __u64 period;  /* of a recording: how many events it stands for; 0: of what always samples */
    __u32 cpu;
    __u32 pid, tid; /* in the initial PID namespace */
    __u32 cgroup;   /* the number of the nearest cgroup that has one; 0: none */
    __u32 process;  /* the number of the group of processes; 0: none */
    __u16 n_kernel, n_user;
    __u8 outcome; /* enum profile_outcome */
    __u8 is_kernel_thread;
    __u16 n_cut; /* user space says so: of the user frames so many, at the root, are in doubt */
    __u32 file;  /* whose table the walk ended for want of; 0: none */
    char comm[PROFILE_COMM_SIZE]; /* of the thread: bytes with anything in them, and a NUL */
};
