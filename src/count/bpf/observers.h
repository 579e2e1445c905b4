/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Programs in the kernel that count by key beside the program at each switch: requests of block
 * devices, interrupts, exits of guests, TCP. They charge the same slots. What they have counted is
 * added here to the slot, to all slots that contain it and to the machine, and waits there until it
 * is taken.
 */

#include "count/bpf/slots.h"
#include "count/breakdown.h"
#include "count/span.h"
#include "sys/bpf/switch/program.h"
#include "sys/bpf/syscalls/counts.h"
#include "sys/cpu_list.h"
#include "sys/perf_event.h"

struct observers;

struct observers_setup {
    const struct switch_program *program; /* borrowed */
    struct bpf_slots *slots;              /* borrowed */
    size_t n_slots;
    int sysfs_fd;               /* where devices and interrupts have names; borrowed */
    const struct perf_ops *ops; /* borrowed */
};

/* No program is loaded yet. NULL: no memory. */
struct observers *observers_new(const struct observers_setup *setup);
struct observers *observers_free(struct observers *observers);
DEFINE_AUTO(observers, struct observers *, observers_free)

/*
 * Loads the programs for a set of enum latency_kind, and ends those that are not in it. What cannot
 * be loaded is tried again with the next call; KVM, which may come any time, once a minute.
 */
void observers_want(struct observers *observers, unsigned kinds);

/*
 * Follows these spans and no others, if their kind is among those that were wanted last. cpus: some
 * that are online. ret_reasons: for each span why it is not followed, or NULL. Static.
 */
void observers_follow(struct observers *observers, const struct span *spans, size_t n_spans,
                      const struct cpu_list *cpus, const char **ret_reasons);

/*
 * Times these system calls and no others, if their kind is among those that were wanted last. Why
 * they are not timed; NULL: they are. Static.
 */
const char *observers_time_calls(struct observers *observers, const struct syscalls_timing *timing);

/* Why the kind is not counted although it is wanted; NULL: it is, or is not wanted. Static. */
const char *observers_reason(const struct observers *observers, enum latency_kind kind);

/* Brings what can be taken up to the present. */
void observers_read(struct observers *observers);

/*
 * The slot is about to be given to another target. Nobody has charged it since before the last
 * reading, so that those that contain it have all that it had.
 */
void observers_give_up(struct observers *observers, size_t slot);

/* Makes room for others in the place of all slots that were given up. */
void observers_forget(struct observers *observers);

/*
 * Gives what the slot, and those in it, have counted since the last time; of the machine for
 * SWITCH_PROGRAM_REST. The caller gets the references.
 */
struct breakdowns observers_take(struct observers *observers, size_t slot);

/* What happened and could not be counted: there was no room for its key, or its begin was missed.
 */
uint64_t observers_lost(const struct observers *observers);
