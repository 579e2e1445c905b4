/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The mechanisms that the service counts by: direct always, and bpf where it can be had. */

#include "config/config.h"
#include "resolve/latency_choice.h"
#include "service/doubt_watch.h"
#include "sys/cgroup_root.h"

struct mechanisms {
    struct mechanism *direct;
    struct mechanism *bpf;     /* NULL: all is counted direct. */
    struct mechanism *latency; /* It counts latencies alone. NULL: bpf does, or nobody. */
    struct switch_program_size latency_size; /* It has room for so much. */
    struct switch_program_size bpf_size;     /* bpf has room for so much. */
    struct mechanism_verdict verdict;        /* It tells what is known about bpf on this machine. */
    struct doubt_watch doubt;                /* It tells how much of what bpf counts is in doubt. */
    bool lacks_descriptors;    /* The caller's: there is no room for a bpf mechanism. */
    uint64_t most_bytes;       /* The caller's: of the kernel's memory, for bpf. 0: no limit. */
    bool lacks_memory;         /* The last choice is without bpf since there is no memory for it. */
    const char *logged_reason; /* This reason for the mechanism was logged last. It is static. */
    const char *logged_latency_reason; /* The same of why latencies are not counted. */
};

/* Makes the direct mechanism. 0 or -ENOMEM. */
int mechanisms_init(struct mechanisms *mechanisms);
void mechanisms_done(struct mechanisms *mechanisms);

/* What a collector counts by. */
struct mechanisms_choice {
    struct mechanism_choice events;
    struct latency_choice latency;
};

/*
 * Asks mechanism_choose() and latency_choose() for this configuration, and logs what is new of
 * their answers. The caller passes the choice to mechanisms_take() when a collector counts by it,
 * else to mechanisms_reject().
 */
struct mechanisms_choice mechanisms_choose(struct mechanisms *mechanisms,
                                           const struct config *config, int sysfs_fd, int procfs_fd,
                                           const struct cgroup_root *root);

/* A collector counts by this choice now: what counted before, if it is another, ends. */
void mechanisms_take(struct mechanisms *mechanisms, const struct mechanisms_choice *choice);

/* No collector counts by this choice: what was made for it ends. */
void mechanisms_reject(const struct mechanisms *mechanisms, const struct mechanisms_choice *choice);

/*
 * Looks, after each cycle, whether a successor of the collector would be counted by another
 * mechanism: without bpf where a kernel keeps so many switches to itself that too much is in doubt
 * (doubt_watch.h), and with bpf again after a while. Returns why, in static words, or NULL; leaving
 * bpf is logged. The machine is counted on n_cpus CPUs.
 */
const char *mechanisms_want_successor(struct mechanisms *mechanisms, const struct config *config,
                                      size_t n_cpus);

/* Returns the share of the CPUs' time that was in doubt in the last whole minute; NaN: unknown. */
double mechanisms_doubt_share(const struct mechanisms *mechanisms);
