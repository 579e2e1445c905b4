/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The BPF program that charges what perf events of a CPU count to the cgroup that runs
 * there, and to the process if that is watched (src/sys/bpf/switch/switch.bpf.c), loaded and
 * attached. What it adds up stands in memory that we share with it: a cell for each CPU and slot,
 * of 64-bit lanes that only grow. A lane is written while it is read; each by itself is always
 * whole.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "sys/bpf/refusal.h"

/* Events on a CPU, at the most. */
#define SWITCH_PROGRAM_EVENTS 64

/* The slot of whatever has none of its own, idle CPUs included. */
#define SWITCH_PROGRAM_REST 0

/*
 * The slots of what is charged to nobody: where a switch was not told, the part of the shorter of
 * the two turns, which may be one cgroup's or another's, or one watched process's or another's.
 * The rest, the slots of all cgroups and the first of these are the machine.
 */
#define SWITCH_PROGRAM_NO_CGROUPS   1
#define SWITCH_PROGRAM_NO_PROCESSES 2
#define SWITCH_PROGRAM_FIRST        3 /* that a cgroup or a process may have */

/*
 * Lanes of each cell behind those of its size: how long (ns) it was in doubt whether the slot ran
 * or another one, which is so for the shorter of the two turns.
 */
#define SWITCH_PROGRAM_OWN_LANES 1

/* `times` of an event whose times are not wanted. */
#define SWITCH_PROGRAM_NO_TIMES SIZE_MAX

struct switch_program;

/*
 * What is counted takes, on each CPU, a cell of 64-bit numbers for each slot. That is all
 * taken when the program is loaded; what else it takes is 20 KiB for each CPU.
 */
struct switch_program_size {
    size_t n_cpus;    /* the highest number of a CPU, and 1 */
    size_t n_slots;   /* with those that no cgroup has */
    size_t n_lanes;   /* of a cell, at least 3, beside SWITCH_PROGRAM_OWN_LANES */
    size_t n_watched; /* processes that may be watched at once, with what they start; 0: none */
    bool v1;          /* cgroups are those of the v1 hierarchy of perf_event */
};

static inline size_t switch_program_lanes(const struct switch_program_size *size)
{
    return size->n_lanes + SWITCH_PROGRAM_OWN_LANES;
}

static inline uint64_t switch_program_bytes(const struct switch_program_size *size)
{
    return (uint64_t)size->n_cpus * size->n_slots * switch_program_lanes(size) * sizeof(uint64_t);
}

/* Of those there may be so many: a thousand cgroups on 256 CPUs by four groups have half of it. */
#define SWITCH_PROGRAM_MOST_BYTES (UINT64_C(256) << 20)

/*
 * Loads and attaches it; nothing is counted yet. The program ends with the object. Takes
 * some tens of milliseconds. 0, or -errno with the reason in *ret_refusal.
 */
int switch_program_load(const struct switch_program_size *size, struct switch_program **ret_program,
                        enum bpf_refusal *ret_refusal);
struct switch_program *switch_program_free(struct switch_program *program);
DEFINE_AUTO(switch_program, struct switch_program *, switch_program_free)

/* The lanes of a slot on a CPU; borrowed. */
uint64_t *switch_program_cell(const struct switch_program *program, size_t cpu, size_t slot);

/* What is known of an event beforehand. */
enum switch_event_kind {
    SWITCH_EVENT_OTHER,
    SWITCH_EVENT_SWITCHES, /* context-switches: counted only just after the program has run */
    SWITCH_EVENT_CLOCK,    /* it counts time */
};

/*
 * To which lanes an event is added: its value, and, unless `times` is
 * SWITCH_PROGRAM_NO_TIMES, its times enabled and running at `times` and the next. All events below
 * n_events have been placed, on whatever CPUs they are open.
 */
void switch_program_place_event(struct switch_program *program, size_t event, size_t value,
                                size_t times, enum switch_event_kind kind);
void switch_program_set_n_events(struct switch_program *program, size_t n_events);

struct switch_program_reading {
    uint64_t value, enabled, running;
};

/*
 * Gives a CPU one of its events; fd < 0: takes it away. What it has counted beyond `base` is
 * charged at the next switch, or refresh, there. base: NULL where it is taken away. 0 or -errno.
 */
int switch_program_set_event(struct switch_program *program, size_t cpu, size_t event, int fd,
                             const struct switch_program_reading *base);

/*
 * Gives the cgroup of this id a slot, or takes it away (then it is charged to its nearest
 * ancestor that has one). On each CPU from the next refresh on at the latest. 0 or -errno.
 */
int switch_program_set_slot(struct switch_program *program, uint64_t cgroup, size_t slot);
int switch_program_clear_slot(struct switch_program *program, uint64_t cgroup);

/*
 * Whether processes are looked up at each switch, which they are not at first. Who ends it has
 * taken all of them back, and refreshes each CPU before it begins anew.
 */
void switch_program_set_watching(struct switch_program *program, bool watching);

/*
 * Charges a process to a slot beside its cgroup's; children: and what it starts from here on,
 * down the generations. A number is that of the initial PID namespace. Whoever ends leaves by
 * himself; whether it was still that process is for the caller to look at afterwards. As above,
 * on each CPU from the next refresh on at the latest. 0; -E2BIG: there is no room; -errno.
 */
int switch_program_watch(struct switch_program *program, pid_t process, size_t slot, bool children);

/* Ends that, if it is this slot that the process is charged to. */
void switch_program_unwatch(struct switch_program *program, pid_t process, size_t slot);

/* Ends it for all that are charged to the slot, children of whatever generation. */
void switch_program_unwatch_slot(struct switch_program *program, size_t slot);

/* How many children of watched processes are not watched, since there was no room for them. */
uint64_t switch_program_unfollowed(const struct switch_program *program);

/* Our own number, as the program sees it: in the initial PID namespace. -errno. */
pid_t switch_program_own_number(const struct switch_program *program);

/*
 * Charges what a CPU has counted up to now, and finds out anew to whom it is to be charged:
 * slots that were set or cleared, a task that was moved. 0; -ENXIO: the CPU is offline; -errno.
 */
int switch_program_refresh(struct switch_program *program, size_t cpu);

/* The same on a CPU of which nothing was charged before: what it did until now is not asked. */
void switch_program_begin_cpu(struct switch_program *program, size_t cpu);

/*
 * Since the program was loaded, on all CPUs: switches that the kernel has counted and not told of,
 * and how long it was in doubt who ran because of them. 0 on every kernel that we know, but for
 * one of a hoster's, which does not tell when a thread of PID 1 leaves; and while a CPU comes up.
 */
struct switch_doubt {
    uint64_t untold_switches, unattributed_ns;
};

struct switch_doubt switch_program_doubt(const struct switch_program *program);
