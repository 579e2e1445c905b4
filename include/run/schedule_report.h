/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a trace comes to: by thread, by CPU, who preempted whom, and the longest waits. */

#include "run/schedule_replay.h"

#define SCHEDULE_WAITS_MAX 100 /* of the longest waits */

struct schedule_thread_figures {
    uint64_t ran_ns;
    uint64_t n_slices; /* how often it had a CPU to the end of a slice, or the trace */
    uint64_t n_voluntary, n_involuntary; /* switches by which it left its CPU */
    uint64_t n_waits, waited_ns;
    uint64_t longest_ns;
    struct schedule_wait longest; /* the longest of the waits, where there is any */
    uint64_t n_blocks, blocked_ns;
    uint64_t n_wakes, n_moves; /* how often it was woken, and moved to another CPU */
};

struct schedule_cpu_figures {
    bool is_seen;                 /* an event has happened there, or a thread had it */
    uint64_t ran_ns;              /* that threads of the target had it, the idle one not counted */
    uint64_t idle_ns;             /* of a trace of the machine */
    uint64_t n_switches, n_wakes; /* wake-ups that were done there */
};

/* Something of two: a thread on a CPU, or two threads. */
struct schedule_pair {
    uint32_t a, b; /* the CPU and the thread; who came and whom it preempted */
    uint64_t n;    /* slices; preemptions */
    uint64_t ns;   /* of the slices */
};

struct schedule_pairs {
    struct schedule_pair *pairs;
    size_t n, most; /* most: a power of two, or 0; places that are free have n 0 */
};

struct schedule_report {
    uint64_t n_switches, n_wakes, n_starts, n_moves, n_preemptions;
    uint64_t n_gaps; /* times from which on it was not known who had a CPU */
    uint64_t ran_ns, waited_ns;
    struct schedule_thread_figures *threads;          /* of each thread of the trace */
    struct schedule_cpu_figures *cpus;                /* of each CPU of the trace */
    struct schedule_pairs shares;                     /* in the order of CPUs, the longest first */
    struct schedule_pairs preemptions;                /* the most frequent first */
    struct schedule_wait longest[SCHEDULE_WAITS_MAX]; /* the longest first */
    size_t n_longest;
};

/* 0 or -ENOMEM. The report is to be ended by schedule_report_done() in any case. */
int schedule_report_make(const struct schedule_trace *trace, struct schedule_report *ret_report);
void schedule_report_done(struct schedule_report *report);

/*
 * The threads in an order of their own: who ran longest first, the idle one left out. ret_order:
 * indices, for the caller to free. 0 or -ENOMEM.
 */
int schedule_report_order(const struct schedule_trace *trace, const struct schedule_report *report,
                          uint32_t **ret_order, size_t *ret_n);
