/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The bpf mechanism: one set of groups on each CPU serves the system, all cgroups and all
 * processes. A program in the kernel (sys/bpf/switch/program.h) charges what they count to those
 * who run, at each switch.
 *
 * A group that several targets count is open once. A group that only the system counts is not
 * charged to anybody and costs no switch anything.
 */

#include "count/latency.h"
#include "count/mechanism.h"
#include "count/span.h"
#include "sys/bpf/refusal.h"
#include "sys/bpf/switch/program.h"
#include "sys/bpf/syscalls/counts.h"

/* How many lanes a group of so many events takes: one a value, then time enabled and running. */
#define BPF_GROUP_LANES(n_events) ((n_events) + 2)

/*
 * Loads the program and attaches it. The size bounds how many cgroups and processes can be
 * counted, on which CPUs and by how many different groups (BPF_GROUP_LANES each), and with them the
 * memory; without room for processes none is counted. ops: borrowed for the mechanism's life. It
 * may hold no descriptors until the owner sets the field. 0, or -errno with the reason in
 * *ret_refusal.
 */
int mechanism_bpf_new(const struct perf_ops *ops, const struct switch_program_size *size,
                      struct mechanism **ret_mechanism, enum bpf_refusal *ret_refusal);

/*
 * Our own process number as the program sees it, in the initial PID namespace. The mechanism was
 * made with room for processes; else -EOPNOTSUPP, or another -errno.
 */
pid_t mechanism_bpf_own_number(const struct mechanism *mechanism);

/*
 * Whether it counts latencies (count/bpf/latency_meter.h): it was made with slots for them, and the
 * kernel has what they take.
 */
bool mechanism_bpf_has_latencies(const struct mechanism *mechanism);

/*
 * Has it count by key what a set of enum latency_kind asks for, beside what is counted at switches,
 * and nothing else. The root of sysfs is borrowed for the mechanism's life: devices and interrupts
 * have their names there. What cannot be counted is tried again with the next call. 0 or -ENOMEM.
 */
int mechanism_bpf_observe(struct mechanism *mechanism, unsigned kinds, int sysfs_fd);

/*
 * Has it follow these spans and no others, after mechanism_bpf_observe() has asked for
 * LATENCY_KIND_SPANS. cpus: some that are online. ret_reasons: for each span why it is not
 * followed, or NULL. Static.
 */
void mechanism_bpf_follow(struct mechanism *mechanism, const struct span *spans, size_t n_spans,
                          const struct cpu_list *cpus, const char **ret_reasons);

/*
 * Has it time these system calls and no others, after mechanism_bpf_observe() has asked for
 * LATENCY_KIND_SYSTEM_CALLS. Why it does not; NULL: it does. Static.
 */
const char *mechanism_bpf_time_calls(struct mechanism *mechanism,
                                     const struct syscalls_timing *timing);

/* Why a kind is not counted although it was asked for; NULL: it is, or was not. Static. */
const char *mechanism_bpf_unobserved(const struct mechanism *mechanism, enum latency_kind kind);

/*
 * Tells it where these CPUs are, so that moves between them are told apart. sysfs_fd: the root of
 * sysfs.
 */
void mechanism_bpf_place_cpus(struct mechanism *mechanism, int sysfs_fd,
                              const struct cpu_list *cpus);

/*
 * What was charged to one of the slots that no target has (SWITCH_PROGRAM_REST, _NO_CGROUPS,
 * _NO_PROCESSES), in one lane, over all CPUs, since the program was loaded. Lane 0 is the first
 * value of the group that was opened first. As of the last refresh.
 */
uint64_t mechanism_bpf_charged_to_nobody(const struct mechanism *mechanism, size_t slot,
                                         size_t lane);
