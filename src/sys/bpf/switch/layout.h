/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* What the program in the kernel (switch.bpf.c) and its loader share. */

#include <linux/types.h>

/* More events on a CPU than any configuration has; the cost of a switch grows with them. */
#define SWITCH_EVENTS_MAX 64

/* Where nobody else is charged: what runs outside of all targets, and idle CPUs. */
#define SWITCH_SLOT_REST 0

/*
 * What nobody is charged with, since a switch was not told and it may be one's or another's: one
 * cgroup's, or one process's of those that are watched.
 */
#define SWITCH_SLOT_NO_CGROUPS   1
#define SWITCH_SLOT_NO_PROCESSES 2

/* Of each cell, behind those of the groups: time (ns) in which its slot was the one or the other.
 */
#define SWITCH_OWN_LANES 1

/* In place of the slot of a process: nobody watches it. */
#define SWITCH_SLOT_NONE 0xffffffffu

/* What bpf_perf_event_read_value() gives: struct bpf_perf_event_value. */
struct switch_reading {
    __u64 value;
    __u64 enabled; /* ns */
    __u64 running; /* ns */
};

/* A CPU remembers so many cgroups, each where its id leads to; others are looked up anew. */
#define SWITCH_KNOWN_BITS   10
#define SWITCH_KNOWN_FACTOR 0x9e3779b1u /* spreads ids, which come in steps of a few files each */

/* To whom a cgroup is charged: to itself, or to the nearest ancestor that has a slot. */
struct switch_known {
    __u64 cgroup;
    __u32 slot;
    __u32 generation; /* in which that was found out */
};

/* Who runs, and where that is charged. */
struct switch_runner {
    __u64 cgroup;  /* its id */
    __u32 slot;    /* of the cgroup */
    __u32 tgid;    /* number of the process */
    __u32 watched; /* slot of the process; SWITCH_SLOT_NONE: it has none */
    __u32 unused;
};

/* One CPU: whom it is charging, and what its events said when they were last read. */
struct switch_cpu {
    struct switch_runner runner;
    __u64 untold;          /* switches that the kernel has kept to itself … */
    __u64 unattributed_ns; /* … and what time is in doubt because of them */
    __u64 switches;        /* that the kernel has counted; 0: not known yet */
    __u64 since;           /* when the events were last read, by the CPU's clock */
    __u32 thread;          /* where that is not to be had: the last to come, and 1; 0: not known */
    __u32 process;         /* of the last to come … */
    __u32 secretive;       /* … and the one that was last to leave untold */
    __u32 is_changing;     /* with interrupts on */
    struct switch_reading last[SWITCH_EVENTS_MAX];
    struct switch_known known[1 << SWITCH_KNOWN_BITS];
};

/*
 * Where an event is added in a cell, which is an array of 64-bit lanes: its value in one; the
 * times that it shares with its group in the two behind `times`, if it is the group's first.
 */
struct switch_event {
    __u32 value;
    __u32 times;           /* SWITCH_NO_TIMES: of no interest, the first of the group tells */
    __u32 counts_switches; /* 1: it is one of the kernel's context switches; else 0 */
    __u32 is_clock;        /* it counts time, and can be divided by it */
};

#define SWITCH_NO_TIMES 0xffffffffu

/* What user space tells the program while it runs. Memory-mapped. */
struct switch_control {
    __u32 generation; /* changes whenever a cgroup gets or loses its slot */
    __u32 n_events;
    __u32 watches; /* processes may be watched; else nobody is looked up */
    __u32 unused;
    __u64 unfollowed; /* children of watched processes for whom there was no room */
    struct switch_event events[SWITCH_EVENTS_MAX];
};

/* A process that has a slot of its own. */
struct switch_watched {
    __u32 slot;
    __u32 children; /* what it starts is charged there too */
};
