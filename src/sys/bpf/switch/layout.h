/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* Memory that the program in the kernel (switch.bpf.c) and its loader share. */

#include <linux/types.h>

#include "sys/bpf/switch/ranges.h"

/*
 * How many events a CPU may have: more than any configuration wants. The cost of a switch grows
 * with the events that are there, not with this number.
 */
#define SWITCH_EVENTS_MAX 64

/* The slot for everything that is in no target, idle CPUs included. */
#define SWITCH_SLOT_REST 0

/*
 * The slots for what is charged to nobody. The kernel has hidden a switch, and so it may belong to
 * one target or to another: to one of two cgroups, or to one of two watched processes.
 */
#define SWITCH_SLOT_NO_CGROUPS   1
#define SWITCH_SLOT_NO_PROCESSES 2

/*
 * How many lanes a cell has behind those of the groups. There is one: the time (ns) in which it is
 * in doubt whether the slot ran or another one.
 */
#define SWITCH_OWN_LANES 1

/* Stands for the slot of a process that is not watched. */
#define SWITCH_SLOT_NONE 0xffffffffu

/* What bpf_perf_event_read_value() gives; the same as struct bpf_perf_event_value. */
struct switch_reading {
    __u64 value;
    __u64 enabled; /* ns */
    __u64 running; /* ns */
};

/* Each CPU caches the slots of so many cgroups, by a hash of their ids. */
#define SWITCH_KNOWN_BITS 10
#define SWITCH_KNOWN_FACTOR                                                                        \
    0x9e3779b1u /* multiplied with an id, it spreads ids that follow each other */

/* An entry of that cache: the slot of the cgroup, or of its nearest ancestor that has one. */
struct switch_known {
    __u64 cgroup;
    __u32 slot;
    __u32 generation; /* control.generation when it was looked up; another one: look up again */
};

/* Who runs on a CPU, and to which slots that is charged. */
struct switch_runner {
    __u64 cgroup;  /* id of the cgroup */
    __u32 slot;    /* slot of the cgroup */
    __u32 tgid;    /* number of the process */
    __u32 watched; /* slot of the process; SWITCH_SLOT_NONE: it is not watched */
    __u32 timed;   /* the same for latencies: a thread that exits has them until it is gone */
};

/* The state of a CPU: who runs there, and what its events had counted when they were last read. */
struct switch_cpu {
    struct switch_runner runner;
    __u64 n_hidden;        /* switches that the kernel has hidden from its tracepoints */
    __u64 unattributed_ns; /* time that is in doubt because of them */
    __u64 switches;        /* rq.nr_switches at the last look; 0: not known yet */
    __u64 since;           /* rq.clock when the events were last read */
    __u64 n_noted;         /* n_hidden at the last switch whose latencies were noted */
    __u64 n_unknown;       /* waits and blocks whose length could not be told */
    __u64 came;            /* rq.clock when the thread came that runs; 0: not known */
    __u32 thread;          /* 1 + pid of the last arrival, where rq cannot be read; 0: not known */
    __u32 process;         /* tgid of the last arrival */
    __u32 hidden_process;  /* tgid of the process whose departure was hidden last */
    __u32 is_changing;     /* not 0: the state is being changed with interrupts enabled */
    __u32 exponent;        /* scratch (latency.bpf.h) */
    __u32 unused;
    struct switch_reading last[SWITCH_EVENTS_MAX];
    struct switch_known known[1 << SWITCH_KNOWN_BITS];
};

/*
 * To which lanes of a cell an event is added: its value to one lane. The times enabled and running
 * are the same for all events of a group, and are added for its first event only.
 */
struct switch_event {
    __u32 value;           /* the lane of the value */
    __u32 times;           /* the lane of time enabled, the next being that of time running;
                              SWITCH_NO_TIMES: they are not added */
    __u32 counts_switches; /* 1: it counts context switches; else 0 */
    __u32 is_clock;        /* it counts time, which can be divided exactly */
};

#define SWITCH_NO_TIMES 0xffffffffu

/* What user space tells the program while that runs. It is mapped into both. */
struct switch_control {
    __u32 generation; /* changes whenever a cgroup gets or loses its slot */
    __u32 n_events;
    __u32 watches; /* some process may be watched; 0: processes are not looked up */
    __u32 unused;
    __u64 unfollowed; /* children of watched processes that found no room in the map */
    struct switch_event events[SWITCH_EVENTS_MAX];
};

/* A watched process: it has a slot beside that of its cgroup. */
struct switch_watched {
    __u32 slot;
    __u32 children; /* processes that it starts are charged to the same slot */
};

/*
 * The distributions of a slot on a CPU. All numbers only grow; those of 32 bits wrap, and whoever
 * reads them more often than once in 2^32 switches loses nothing.
 */
struct switch_latency {
    __u64 sums_ns[SWITCH_DISTRIBUTIONS];
    __u32 buckets[SWITCH_RANGE_BUCKETS];
    __u32 tallies[SWITCH_TALLIES];
    __u32 changes; /* how often something of it has changed */
    __u32 unused;
};

/*
 * A thread that has left its CPU and will come back. There is a table of them, in which a thread
 * has one of SWITCH_AWAY_PLACES places; one that finds them all taken is not remembered.
 */
struct switch_away {
    __u32 pid;       /* of the thread; 0: the place is free */
    __u32 how;       /* enum switch_away_how */
    __u64 since;     /* rq.clock when it left its CPU */
    __u64 run_delay; /* sched_info.run_delay then */
};

#define SWITCH_AWAY_PLACES 4

enum switch_away_how {
    SWITCH_AWAY_PREEMPTED,
    SWITCH_AWAY_INTERRUPTIBLE,
    SWITCH_AWAY_UNINTERRUPTIBLE,
    SWITCH_AWAY_UNSTAMPED, /* preempted as it was about to block: it waits, and no stamp says so */
    SWITCH_AWAY_SUSPECT = 4, /* a flag: what the kernel notes as its wait is part of its sleep */
};

/* Where a CPU is: numbers that are the same for CPUs that share a core, a cache, a node. */
struct switch_cpu_place {
    __u32 core;
    __u32 llc; /* the last-level cache */
    __u32 node;
};
