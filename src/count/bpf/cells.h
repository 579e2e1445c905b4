/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The state of the bpf mechanism, and what one handle of it stands for. mechanism.c and open.c work
 * on it; nobody else looks inside.
 */

#include "count/bpf/groups.h"
#include "count/bpf/observers.h"
#include "count/bpf/slots.h"
#include "count/bpf/watched_processes.h"
#include "count/mechanism.h"

struct bpf {
    struct mechanism mechanism;
    struct switch_program_size size;
    const struct perf_ops *ops; /* borrowed */
    struct switch_program *program;
    struct bpf_groups *groups;
    struct slot_latencies *latencies;
    struct bpf_slots *slots;           /* of all targets but the system */
    struct watched_processes *watched; /* the processes that have slots */
    struct observers *observers;       /* what is counted by key; NULL: nothing ever was */
    /* Slots or watched processes have changed since the last refresh. */
    bool has_changed;
};

/* Marker slot: the system's readings are those of the perf groups themselves, never this slot. */
#define BPF_SLOT_OF_SYSTEM SWITCH_PROGRAM_REST

/*
 * Slots of processes are among those of cgroups, as cgroups that contain no other. Their ids cannot
 * be the same (BPF_PROCESS_ID): the kernel counts the ids of cgroups up from 0, and never gets to
 * the highest bit. A process that is counted with its children is another target than the process
 * alone.
 */
#define BPF_CHILDREN_ID (UINT64_C(1) << 62)

/* What a handle stands for: a group on a CPU, as it is charged to a slot. */
struct bpf_cell {
    size_t slot;
    struct bpf_user user;
};

/* Whether each cell of a mechanism of this size has a handle, which is an int. */
bool bpf_handles_suffice(const struct switch_program_size *size);

int bpf_handle_of(const struct bpf *bpf, const struct bpf_cell *cell);
struct bpf_cell bpf_cell_of(const struct bpf *bpf, int handle);

/*
 * Has each CPU on which groups are open charge what it has counted until now to those who ran, and
 * find out anew to which slots it charges from here on. With latencies all CPUs charge to slots;
 * but they charge a slice or a wait when it ends, so that those without groups are left in peace
 * until slots or watched processes change: they may run what nothing else is to interrupt.
 */
void bpf_refresh_cpus(struct bpf *bpf);

/* Has the program watch the processes of the scope for a slot. 0 or -errno. */
int bpf_watch(struct bpf *bpf, size_t slot, const struct scope *scope);

/*
 * Takes a user from a slot. When it was the last one, the program stops charging the slot: from the
 * next refresh on nobody charges there.
 */
void bpf_leave_slot(struct bpf *bpf, size_t slot);

/* Makes the lanes of a group 0 in all slots, after the last user that was charged has left it. */
void bpf_clear_lanes(struct bpf *bpf, size_t group);

/* Enters how many descriptors are open into struct mechanism. */
void bpf_update_open_counters(struct bpf *bpf);
