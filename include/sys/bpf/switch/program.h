/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The BPF program that charges what the perf events of a CPU count to the cgroup that runs there,
 * and to the process that runs there, if it is watched (src/sys/bpf/switch/switch.bpf.c). Here it
 * is loaded, attached and told what to do.
 *
 * The sums stand in memory that we share with the program. For each CPU and slot there is a cell,
 * an array of 64-bit lanes that only grow. The program may write a cell while we read it; each lane
 * by itself is always whole.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "sys/bpf/refusal.h"
#include "sys/bpf/switch/ranges.h"

/* How many events a CPU may have. */
#define SWITCH_PROGRAM_EVENTS 64

/* The slot of everything that has no slot of its own, idle CPUs included. */
#define SWITCH_PROGRAM_REST 0

/*
 * The slots of what is charged to nobody. Where the kernel has hidden a switch, it is in doubt to
 * which of two turns counts belong: for _NO_CGROUPS the turns of two cgroups, for _NO_PROCESSES
 * those of two watched processes. The machine is the rest, all cgroups and _NO_CGROUPS together.
 */
#define SWITCH_PROGRAM_NO_CGROUPS   1
#define SWITCH_PROGRAM_NO_PROCESSES 2
#define SWITCH_PROGRAM_FIRST        3 /* the first slot that a cgroup or a process may have */

/*
 * How many lanes each cell has behind those of its size. It is one: the time (ns) in which it was
 * in doubt whether the slot ran or another one.
 */
#define SWITCH_PROGRAM_OWN_LANES 1

/* The value of `times` for an event whose times are not wanted. */
#define SWITCH_PROGRAM_NO_TIMES SIZE_MAX

/*
 * Latencies. If they are wanted, the program also counts, for each slot and CPU, how long threads
 * waited for a CPU, ran, and were blocked in an interruptible and in an uninterruptible state; and
 * how many switches were voluntary and involuntary, and how many threads were moved to another
 * hardware thread of the core, to another core, to another last-level cache, to another node. Where
 * the buckets are stands in sys/bpf/switch/ranges.h.
 */
#define SWITCH_PROGRAM_DISTRIBUTIONS 4
#define SWITCH_PROGRAM_TALLIES       6
#define SWITCH_PROGRAM_BUCKETS       SWITCH_RANGE_BUCKETS

/* Numbers of 32 bits wrap. Each number by itself is always whole. */
struct switch_program_latency {
    uint64_t sums_ns[SWITCH_PROGRAM_DISTRIBUTIONS];
    uint32_t buckets[SWITCH_PROGRAM_BUCKETS];
    uint32_t tallies[SWITCH_PROGRAM_TALLIES];
    uint32_t changes; /* how often some of the others have changed */
    uint32_t unused;
};

struct switch_program;

/*
 * The size of the shared memory: on each CPU a cell for each slot. The kernel takes all of it when
 * the program is loaded, and 20 KiB for each CPU beside it; with latencies also what
 * switch_program_away_bytes() says. It is charged to the memory cgroup of the process; the limit on
 * locked memory is not asked since Linux 5.11, and earlier kernels do not take the program.
 */
struct switch_program_size {
    size_t n_cpus;    /* 1 + the highest number of a CPU */
    size_t n_slots;   /* including those below SWITCH_PROGRAM_FIRST */
    size_t n_lanes;   /* lanes of a cell, at least 3, without SWITCH_PROGRAM_OWN_LANES */
    size_t n_watched; /* processes that may be watched at once, including children; 0: none */
    bool v1;          /* cgroups are those of the cgroup v1 hierarchy of perf_event */
    /* So many slots, the first ones, have latencies; those of a cgroup in another slot are added to
     * SWITCH_PROGRAM_REST, so that the machine has them. 0: they are not wanted, and cost nothing.
     */
    size_t n_latency_slots;
    uint64_t n_threads; /* the most threads there may be at once (sys/thread_limit.h); 0: unknown */
};

static inline size_t switch_program_lanes(const struct switch_program_size *size)
{
    return size->n_lanes + SWITCH_PROGRAM_OWN_LANES;
}

static inline uint64_t switch_program_bytes(const struct switch_program_size *size)
{
    return (uint64_t)size->n_cpus * size->n_slots * switch_program_lanes(size) * sizeof(uint64_t);
}

static inline uint64_t switch_program_latency_bytes(const struct switch_program_size *size)
{
    return (uint64_t)size->n_cpus * size->n_latency_slots * sizeof(struct switch_program_latency);
}

/*
 * With latencies, threads that are away from their CPUs are remembered in a table that has a place
 * for each of them: as many as there may be threads, rounded up to a power of two, within these
 * bounds. Where it is not known how many there may be, there are 2^16. More than 2^20 threads would
 * have to be away at once, or as many as the kernel allowed later, for some to find no place.
 */
#define SWITCH_PROGRAM_FEWEST_AWAY_BITS  10
#define SWITCH_PROGRAM_DEFAULT_AWAY_BITS 16
#define SWITCH_PROGRAM_MOST_AWAY_BITS    20
#define SWITCH_PROGRAM_AWAY_PLACE_BYTES  24

static inline uint32_t switch_program_away_bits(const struct switch_program_size *size)
{
    uint32_t bits = SWITCH_PROGRAM_FEWEST_AWAY_BITS;

    if (size->n_threads == 0)
        return SWITCH_PROGRAM_DEFAULT_AWAY_BITS;
    while (bits < SWITCH_PROGRAM_MOST_AWAY_BITS && UINT64_C(1) << bits < size->n_threads)
        bits++;
    return bits;
}

/* What the table takes: 24 KiB to 24 MiB; 0 without latencies. */
static inline uint64_t switch_program_away_bytes(const struct switch_program_size *size)
{
    return size->n_latency_slots > 0
               ? (uint64_t)SWITCH_PROGRAM_AWAY_PLACE_BYTES << switch_program_away_bits(size)
               : 0;
}

/*
 * The greatest size that we allow. A thousand cgroups on 256 CPUs, counted by four groups, take
 * half of it.
 */
#define SWITCH_PROGRAM_MOST_BYTES (UINT64_C(256) << 20)

/* The same for latencies: a thousand cgroups on 128 CPUs take 49 MiB. */
#define SWITCH_PROGRAM_MOST_LATENCY_BYTES (UINT64_C(64) << 20)

/*
 * Loads the program and attaches it; nothing is charged yet. The program ends with the object. It
 * takes some tens of milliseconds, mostly in the kernel's verifier. 0, or -errno with the reason in
 * *ret_refusal.
 */
int switch_program_load(const struct switch_program_size *size, struct switch_program **ret_program,
                        enum bpf_refusal *ret_refusal);
struct switch_program *switch_program_free(struct switch_program *program);
DEFINE_AUTO(switch_program, struct switch_program *, switch_program_free)

/*
 * Attaches the program anew, behind all who are attached to the same tracepoints. perf counts a hit
 * of a tracepoint by a function that the kernel attaches there with the first event, and all who
 * are attached run in that order. Called after an event of a tracepoint was opened, this has the
 * hit of a switch counted before the program reads the event: it belongs to whoever goes, as for
 * perf. Switches during the call, for about a millisecond, are as if they were hidden. 0 or -errno.
 */
int switch_program_attach_last(struct switch_program *program);

/* The lanes of a slot on a CPU. Borrowed. */
uint64_t *switch_program_cell(const struct switch_program *program, size_t cpu, size_t slot);

/*
 * Tells where a CPU is, so that moves between CPUs are told apart by their distance: numbers that
 * are the same for the CPUs of a core, for those with the same last-level cache, for those of a
 * node.
 */
void switch_program_place_cpu(struct switch_program *program, size_t cpu, unsigned core,
                              unsigned llc, unsigned node);

/*
 * Whether the program counts latencies: they are wanted, and the kernel has what they take
 * (CONFIG_SCHED_INFO, CONFIG_FAIR_GROUP_SCHED).
 */
bool switch_program_has_latencies(const struct switch_program *program);

/* The latencies of all slots that have some: an array [cpu][slot]. Borrowed; NULL: not wanted. */
struct switch_program_latency *switch_program_latencies(const struct switch_program *program);

/*
 * How many waits and blocks could not be told, on all CPUs: too many threads were away at once to
 * be remembered, or the kernel took sleep for wait.
 */
uint64_t switch_program_unknown_latencies(const struct switch_program *program);

/* Kinds of events that are treated differently at a switch. */
enum switch_event_kind {
    SWITCH_EVENT_OTHER,
    SWITCH_EVENT_SWITCHES, /* context-switches: the kernel counts it after the program has run */
    SWITCH_EVENT_CLOCK,    /* it counts time, which is divided exactly where a switch was hidden */
};

/*
 * Tells to which lanes an event is added: its value to the lane `value`; the time enabled to the
 * lane `times` and the time running to the next, unless `times` is SWITCH_PROGRAM_NO_TIMES.
 */
void switch_program_place_event(struct switch_program *program, size_t event, size_t value,
                                size_t times, enum switch_event_kind kind);

/* Has the program look at all events below this number, which have been placed before. */
void switch_program_set_n_events(struct switch_program *program, size_t n_events);

/* What an event has counted, and its times (ns). */
struct switch_program_reading {
    uint64_t value, enabled, running;
};

/*
 * Gives the program an event of a CPU, by its descriptor; fd -1, base NULL: takes it away. What the
 * event counts beyond `base` is charged from the next switch or refresh of the CPU on. 0 or -errno.
 */
int switch_program_set_event(struct switch_program *program, size_t cpu, size_t event, int fd,
                             const struct switch_program_reading *base);

/*
 * Gives the cgroup of this id a slot, or takes its slot away: it is then charged to its nearest
 * ancestor that has a slot. Effective on each CPU from its next refresh on at the latest. 0 or
 * -errno.
 */
int switch_program_set_slot(struct switch_program *program, uint64_t cgroup, size_t slot);
int switch_program_clear_slot(struct switch_program *program, uint64_t cgroup);

/*
 * Whether processes are looked up at each switch; at first they are not. Before this is ended, all
 * processes have been unwatched; before it is begun again, each CPU has been refreshed.
 */
void switch_program_set_watching(struct switch_program *program, bool watching);

/*
 * Charges a process to a slot, beside that of its cgroup. children: charges also the processes that
 * it starts from here on, and those that they start. The number is that of the initial PID
 * namespace. A process that ends is unwatched by the program. The caller looks afterwards whether
 * the number still was that of the process that it meant. Effective on each CPU from its next
 * refresh on at the latest. 0; -E2BIG: there is no room; -errno.
 */
int switch_program_watch(struct switch_program *program, pid_t process, size_t slot, bool children);

/* Ends that a process is charged to this slot; not if it is charged to another one. */
void switch_program_unwatch(struct switch_program *program, pid_t process, size_t slot);

/* Ends it for all processes that are charged to the slot, including children. */
void switch_program_unwatch_slot(struct switch_program *program, size_t slot);

/* How many children should have been watched, but found no room, since the program was loaded. */
uint64_t switch_program_unfollowed(const struct switch_program *program);

/* Our own process number as the program sees it, in the initial PID namespace; or -errno. */
pid_t switch_program_own_number(const struct switch_program *program);

/*
 * Has a CPU charge what it has counted until now, and find out anew to which slots it charges:
 * slots may have been set or cleared, and the running task may have been moved. 0; -ENXIO: the CPU
 * is offline; -errno.
 */
int switch_program_refresh(struct switch_program *program, size_t cpu);

/* The same for a CPU that charged nothing before. Its switches until now are not counted as hidden.
 */
void switch_program_begin_cpu(struct switch_program *program, size_t cpu);

/*
 * What is in doubt since the program was loaded, on all CPUs. Both are 0 on every kernel that we
 * know, with two exceptions: the kernel of one hoster hides each switch away from a thread of PID
 * 1, and switches are hidden while a CPU comes online.
 */
struct switch_doubt {
    uint64_t untold_switches; /* switches that the kernel counted and hid from its tracepoints */
    uint64_t unattributed_ns; /* time in which it is in doubt who ran, because of them */
};

struct switch_doubt switch_program_doubt(const struct switch_program *program);

/*
 * What other programs share with this one, to know who is who: its maps of the slots of cgroups and
 * of watched processes. The descriptors are the program's.
 */
struct switch_program_maps {
    int slots;   /* id of a cgroup -> its slot */
    int watched; /* number of a process -> its slot */
    int control; /* what the program is told (struct switch_control) */
    bool v1;     /* cgroups are those of the cgroup v1 hierarchy of perf_event */
};

/* 0; -EOPNOTSUPP: it is not built. */
int switch_program_maps(const struct switch_program *program, struct switch_program_maps *ret_maps);
