/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A mechanism is a way of counting targets. Mechanisms differ in how counters are opened and where
 * readings come from; deltas, sums and times are the same code for all (counter_read.c). `direct`
 * opens perf events for each target; `bpf` (count/bpf/mechanism.h) makes the readings of all
 * targets out of one set of perf events on each CPU.
 */

#include <stdint.h>

#include "count/counter_set.h"
#include "sys/bpf/switch/program.h"
#include "sys/perf_event.h"

/*
 * The greatest share of a target's time that may be in doubt (struct sample_doubt). Above it, what
 * is counted is not to be trusted.
 */
#define MOST_DOUBT 0.005

/*
 * A group as read(2) gives it, with the read_format PERF_FORMAT_GROUP | PERF_FORMAT_ID |
 * PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING.
 */
struct group_reading {
    uint64_t n_values;
    uint64_t enabled; /* ns */
    uint64_t running; /* ns */
    struct {
        uint64_t value;
        uint64_t id;
    } values[EVENT_GROUP_MAX];
};

struct mechanism {
    const char *name;             /* "direct", "bpf" */
    size_t open_counters;         /* descriptors that are open now */
    size_t descriptors;           /* how many may be open; the owner may change it between calls */
    struct group_reading reading; /* scratch, so that it need not be cleared for each group */
    /*
     * Groups that take hardware counters are opened, but not enabled. Whoever changes this calls
     * counter_set_follow_pause() for every set. It stands here, and not in the sets, so that each
     * new set obeys it. While it is set, nobody counts to find something out either.
     */
    bool paused;
    /* Scopes of processes have CPUs and name whole processes; otherwise they name threads. */
    bool counts_processes;
    /*
     * CLOCK_MONOTONIC, when a group that takes hardware counters was last seen to run: one that is
     * bound to a CPU, and one that is bound to a thread. They differ, since the kernel gives
     * threads what the groups of their CPU leave.
     */
    uint64_t cpus_ran_ns, threads_ran_ns;
    uint64_t unfollowed; /* children that should be counted with their process, and found no room */
    uint64_t reopened;   /* groups that were closed because they could not be read */
    /*
     * What is in doubt since the mechanism was made, as of the last refresh. Its owner may have
     * added the doubt of earlier mechanisms. Always 0 where no count depends on switches.
     */
    struct switch_doubt doubt;
    uint64_t unknown_latencies; /* the same of waits and blocks whose length could not be told */

    /*
     * Opens what is closed of the sets. It takes many at once, so that each CPU is visited once. A
     * new group is opened in all its places that are there (CPUs that are online, threads that
     * have not ended), or in none; counter_set_absence() then tells why. Returns 0 or -ENOMEM.
     */
    int (*open)(struct mechanism *mechanism, struct counter_set **sets, size_t n_sets);

    /*
     * Reads a group of the set in one of its places, where it is open. 0; -ECHILD: there is no
     * reading at this moment; another -errno, twice in a row: the counter is of no use any more.
     */
    int (*read)(struct mechanism *mechanism, const struct counter_set *set, size_t place,
                size_t group, struct group_reading *ret_reading);

    /* Closes a group of the set in one of its places. */
    void (*close)(struct mechanism *mechanism, struct counter_set *set, size_t place, size_t group);

    /*
     * Lets a group count in one of its places, or stop. While it is stopped, its values and both
     * its times stand still together. 0, or -errno: nobody knows now what it does.
     */
    int (*set_enabled)(struct mechanism *mechanism, const struct counter_set *set, size_t place,
                       size_t group, bool enabled);

    /*
     * Brings what can be read up to the present, before a round of readings. What was opened counts
     * from here on at the latest. NULL: readings are always of the moment.
     */
    void (*refresh)(struct mechanism *mechanism);

    /*
     * Says which CPUs have been online all the time. On all others what is open has ended with its
     * CPU, even if that is back: sets that hold it can read it a last time, and what is opened
     * there from now on is opened anew. NULL: sets share nothing that is open.
     */
    void (*keep_cpus)(struct mechanism *mechanism, const struct cpu_list *cpus);

    /* What is in doubt of a target, as of the last refresh. NULL: nothing ever is. */
    struct sample_doubt (*doubt_of)(const struct mechanism *mechanism,
                                    const struct counter_set *set);

    struct mechanism *(*free)(struct mechanism *mechanism);
};

/*
 * Perf events that are bound to each target. ops: borrowed for the mechanism's life. It may hold no
 * descriptors until the owner sets `descriptors`. NULL: no memory.
 */
struct mechanism *mechanism_direct_new(const struct perf_ops *ops);

/* Calls refresh(), if the mechanism has one. */
void mechanism_refresh(struct mechanism *mechanism);

struct mechanism *mechanism_free(struct mechanism *mechanism);
DEFINE_AUTO(mechanism, struct mechanism *, mechanism_free)
