/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A way of counting targets. What differs between them is how counters are
 * opened and where readings come from; deltas, sums and times are the same code
 * (counter_set.c). `direct` opens events for every target; `bpf` feeds the same
 * readings from one set of groups a CPU.
 */

#include <stdint.h>

#include "count/counter_set.h"
#include "sys/bpf/switch/program.h"
#include "sys/perf_event.h"

/* The share of time in doubt above which what is counted is not to be trusted. */
#define MOST_DOUBT 0.005

/* A group as the kernel gives it: PERF_FORMAT_GROUP | ID | TOTAL_TIME_ENABLED | TOTAL_TIME_RUNNING.
 */
struct group_reading {
    uint64_t n_values;
    uint64_t enabled;
    uint64_t running;
    struct {
        uint64_t value;
        uint64_t id;
    } values[EVENT_GROUP_MAX];
};

struct mechanism {
    const char *name;             /* "direct", "bpf" */
    size_t open_counters;         /* descriptors that are open now */
    size_t descriptors;           /* how many it may hold; the owner may change it between calls */
    struct group_reading reading; /* scratch: too large to be cleared on the stack for each group */
    /*
     * No group that takes hardware counters may count: it is opened and not enabled. Who
     * changes this calls counter_set_follow_pause() for every set, and who would count to
     * find something out does not. It outlives the sets, so that each new one obeys it.
     */
    bool paused;
    /* Its scopes of processes have CPUs, and whole processes; else threads. */
    bool counts_processes;
    /*
     * When a group that takes hardware counters was last seen to run: one of a CPU, and one of
     * threads, whom the kernel serves with what the groups of their CPU leave.
     */
    uint64_t cpus_ran_ns, threads_ran_ns;
    uint64_t unfollowed; /* children of processes that are not counted with them: no room */
    uint64_t reopened;   /* groups that could not be read and were closed, since the start */
    /*
     * As of the last refresh, since the mechanism was made; of those that ended before it, where
     * the owner has added it. Nothing where nothing depends on switches.
     */
    struct switch_doubt doubt;

    /*
     * Opens what is not open of the sets, many at once, so that each CPU is visited
     * once. A new group is opened in all its places (CPUs that are online, threads
     * that have not ended) or in none; why not is told by counter_set_absence().
     * Returns 0 or -ENOMEM.
     */
    int (*open)(struct mechanism *mechanism, struct counter_set **sets, size_t n_sets);

    /*
     * One group of a set in one of its places. 0; -ECHILD: not at this moment; another
     * -errno: the counter is of no use any more.
     */
    int (*read)(struct mechanism *mechanism, int handle, size_t n_values,
                struct group_reading *ret_reading);

    /* Closes a group in one place of the set. */
    void (*close)(struct mechanism *mechanism, struct counter_set *set, size_t place, size_t group);

    /*
     * Lets a group in one place count, or not: its value and its times stand still
     * together. 0 or -errno: it cannot be told what it does now.
     */
    int (*set_enabled)(struct mechanism *mechanism, int handle, bool enabled);

    /*
     * Brings what is read to the present, for a round of readings; what is opened counts from
     * here on at the latest. NULL: each reading is of the moment that it is made in.
     */
    void (*refresh)(struct mechanism *mechanism);

    /*
     * All CPUs but these have been offline, be they back or not: what is open there has ended
     * with its CPU. Sets that hold it read it as it stands; what is opened there from now on
     * is opened anew. NULL: nothing that a set opens is another's.
     */
    void (*keep_cpus)(struct mechanism *mechanism, const struct cpu_list *cpus);

    /* As of the last refresh. Called where there is any doubt; NULL: there never is. */
    struct sample_doubt (*doubt_of)(const struct mechanism *mechanism,
                                    const struct counter_set *set);

    struct mechanism *(*free)(struct mechanism *mechanism);
};

/*
 * Perf events bound to each target. ops: borrowed for its life. It may hold no
 * descriptors until the owner sets the field. NULL if there is no memory.
 */
struct mechanism *mechanism_direct_new(const struct perf_ops *ops);

void mechanism_refresh(struct mechanism *mechanism);
struct mechanism *mechanism_free(struct mechanism *mechanism);
DEFINE_AUTO(mechanism, struct mechanism *, mechanism_free)
