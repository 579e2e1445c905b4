/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The groups of perf events, each of which is open once on a CPU, however many targets are counted
 * by it. At each switch the program in the kernel reads the groups that are charged to somebody. A
 * group that only the system wants is not read there, and costs nothing.
 */

#include "count/event_group.h"
#include "count/mechanism.h"
#include "sys/bpf/switch/program.h"

/*
 * A configuration has up to 64 groups, and during a reload there are those of two. As many again
 * are for groups in parts. Each takes 100 bytes of our memory, and halves how many handles there
 * are (bpf_handles_suffice()): with 256 there are 2 million, 1,000 cgroups on 1,000 CPUs.
 */
#define BPF_GROUPS_MAX 256

/*
 * A birth of a CPU is the time from its coming online to its going offline. They are numbered in a
 * circle of 4. That is enough, since no user outlives its collector, and a collector is replaced
 * each time that CPUs come or go.
 */
#define BPF_BIRTHS 4

struct bpf_groups;

/* Somebody who reads a group on a CPU. */
struct bpf_user {
    size_t group;
    struct cpu_number cpu;
    unsigned birth; /* of the CPU when the group was opened there, below BPF_BIRTHS */
    bool charged;   /* it reads what the program has charged, and not the group itself */
};

/* The program and the operations are borrowed. NULL: no memory. */
struct bpf_groups *bpf_groups_new(struct switch_program *program, const struct perf_ops *ops,
                                  const struct switch_program_size *size);
struct bpf_groups *bpf_groups_free(struct bpf_groups *groups);
DEFINE_AUTO(bpf_groups, struct bpf_groups *, bpf_groups_free)

/*
 * Finds or makes the group that counts these events, and adds a user to it. A new group is open on
 * no CPU. charged: the user wants what the program charges. 0; -ENOSPC: there is no room; -errno.
 */
int bpf_groups_enter(struct bpf_groups *groups, const struct event_group *wanted, bool charged,
                     size_t *ret_group);

/*
 * Drops one user. Returns true if no charged user is left; the caller then refreshes all CPUs and
 * clears the group's lanes.
 */
bool bpf_groups_leave(struct bpf_groups *groups, size_t group, bool charged);

/*
 * Opens the group on the user's CPU, if it is not open there, and makes `user` a user of the group
 * and of this place; user->birth is filled here. enabled: whether a group that is opened counts.
 * hybrid: as in struct scope, borrowed for the call. 0 or -errno; -EMFILE: more than n_descriptors
 * would be needed.
 */
int bpf_groups_open(struct bpf_groups *groups, struct bpf_user *user, bool enabled,
                    const struct pmu_list *hybrid, size_t n_descriptors);

/*
 * Undoes bpf_groups_open(): drops the user, and closes the place if nobody uses it any more.
 * Returns what bpf_groups_leave() returns.
 */
bool bpf_groups_close(struct bpf_groups *groups, const struct bpf_user *user);

/* The descriptor by which a user reads the group, also after its CPU went offline; -1: none. */
int bpf_groups_leader(const struct bpf_groups *groups, const struct bpf_user *user);

/* Enables or disables the group on the user's CPU. 0 or -errno. */
int bpf_groups_set_enabled(struct bpf_groups *groups, const struct bpf_user *user, bool enabled);

/*
 * Says which CPUs have been online all the time. On all others what is open has ended with its CPU.
 * Its users can still read it as it stands; from now on a group is opened there anew.
 */
void bpf_groups_keep_cpus(struct bpf_groups *groups, const struct cpu_list *cpus);

/* Whether some group is open on the CPU of this number. If not, there is nothing to charge. */
bool bpf_groups_are_open(const struct bpf_groups *groups, size_t cpu);

/* How many descriptors are open. */
size_t bpf_groups_open_counters(const struct bpf_groups *groups);

/*
 * Where the lanes of a group begin in a cell, and how many events it has. They hold while the group
 * has charged users, and until its lanes are cleared after the last of them.
 */
size_t bpf_groups_first_lane(const struct bpf_groups *groups, size_t group);
size_t bpf_groups_n_events(const struct bpf_groups *groups, size_t group);
