/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The groups of perf events of the CPUs: each open once on a CPU, whatever the number of targets
 * that are counted by it. The program in the kernel reads those that are charged to somebody, at
 * each switch; one that is wanted for the system alone costs nothing there.
 */

#include "count/event_group.h"
#include "count/mechanism.h"
#include "sys/bpf/switch/program.h"

/* Twice those of a configuration: before and after a reload. */
#define BPF_GROUPS_MAX 128

/* How many births of a CPU are told from each other: no user is older than its collector. */
#define BPF_BIRTHS 4

struct bpf_groups;

/* Who reads a group on a CPU. */
struct bpf_user {
    size_t group;
    struct cpu_number cpu;
    unsigned birth; /* of the CPU, below BPF_BIRTHS */
    bool charged;   /* it reads what the program has charged, not the group itself */
};

/* Program and operations are borrowed. NULL if there is no memory. */
struct bpf_groups *bpf_groups_new(struct switch_program *program, const struct perf_ops *ops,
                                  const struct switch_program_size *size);
struct bpf_groups *bpf_groups_free(struct bpf_groups *groups);
DEFINE_AUTO(bpf_groups, struct bpf_groups *, bpf_groups_free)

/*
 * The group that counts these events, one user more; a new one is open nowhere. charged: for
 * somebody whom the program is to charge. 0; -ENOSPC: there is no room for it; -errno.
 */
int bpf_groups_enter(struct bpf_groups *groups, const struct event_group *wanted, bool charged,
                     size_t *ret_group);

/*
 * One user less. True: it was the last that is charged, and the group's lanes are to be
 * cleared, once each CPU has been refreshed.
 */
bool bpf_groups_leave(struct bpf_groups *groups, size_t group, bool charged);

/*
 * Opens the group of a user on its CPU, if it is not open there, to count if enabled, and lets
 * it be a user of both; its birth is found here. 0 or -errno; -EMFILE: it would take more than
 * n_descriptors.
 */
int bpf_groups_open(struct bpf_groups *groups, struct bpf_user *user, bool enabled,
                    size_t n_descriptors);

/* Ends what that began; what nobody uses is closed. Returns what bpf_groups_leave() does. */
bool bpf_groups_close(struct bpf_groups *groups, const struct bpf_user *user);

/* The descriptor by which the group is read, also when its CPU has gone; -1: there is none. */
int bpf_groups_leader(const struct bpf_groups *groups, const struct bpf_user *user);

/* Lets it count on a CPU or not. 0 or -errno. */
int bpf_groups_set_enabled(struct bpf_groups *groups, const struct bpf_user *user, bool enabled);

/*
 * All CPUs but these have been offline: what is open there has ended with its CPU, and can be
 * read as it stands until its users leave. From now on it is opened there anew.
 */
void bpf_groups_keep_cpus(struct bpf_groups *groups, const struct cpu_list *cpus);

/* Whether some group is open on the CPU of this number: else there is nothing to be charged. */
bool bpf_groups_are_open(const struct bpf_groups *groups, size_t cpu);

/* Descriptors that are open. */
size_t bpf_groups_open_counters(const struct bpf_groups *groups);

/* Where a group's readings stand in a cell, while it has charged users and when the last leaves. */
size_t bpf_groups_first_lane(const struct bpf_groups *groups, size_t group);
size_t bpf_groups_n_events(const struct bpf_groups *groups, size_t group);
