/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* What the program and its loader share beside the records. */

#include <linux/types.h>

enum schedule_scope { SCHEDULE_OF_MACHINE, SCHEDULE_OF_CGROUP, SCHEDULE_OF_PROCESSES };

/* Cgroups of which a CPU remembers whether they belong to the target. */
#define SCHEDULE_KNOWN 64

struct schedule_known {
    __u64 cgroup; /* its id; 0: none */
    __u64 is_ours;
};

/* The state of a CPU. Programs change it on that CPU only, with interrupts disabled. */
struct schedule_cpu {
    __u64 n_lost;  /* records that found no room */
    __u32 pending; /* those of them that no record has told of yet */
    __u32 unused;
    struct schedule_known known[SCHEDULE_KNOWN];
};
