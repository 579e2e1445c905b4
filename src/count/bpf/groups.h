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
#define SWITCH_GROUPS_MAX 128

/* How many births of a CPU are told from each other: no user is older than its collector. */
#define SWITCH_BIRTHS 4

struct switch_groups;

/* Who reads a group on a CPU. */
struct switch_user {
    size_t group;
    struct cpu_number cpu;
    unsigned birth; /* of the CPU, below SWITCH_BIRTHS */
    bool charged;   /* it reads what the program has charged, not the group itself */
};

/* Program and operations are borrowed. NULL if there is no memory. */
struct switch_groups *switch_groups_new(struct switch_program *program, const struct perf_ops *ops,
                                        const struct switch_program_size *size);
struct switch_groups *switch_groups_free(struct switch_groups *groups);
DEFINE_AUTO(switch_groups, struct switch_groups *, switch_groups_free)

/*
 * The group that counts these events, one user more; a new one is open nowhere. charged: for
 * somebody whom the program is to charge. 0; -ENOSPC: there is no room for it; -errno.
 */
int switch_groups_enter(struct switch_groups *groups, const struct event_group *wanted,
                        bool charged, size_t *ret_group);

/*
 * One user less. True: it was the last that is charged, and the group's lanes are to be
 * cleared, once each CPU has been refreshed.
 */
bool switch_groups_leave(struct switch_groups *groups, size_t group, bool charged);

/*
 * Opens the group of a user on its CPU, if it is not open there, to count if enabled, and lets
 * it be a user of both; its birth is found here. 0 or -errno; -EMFILE: it would take more than
 * n_descriptors.
 */
int switch_groups_open(struct switch_groups *groups, struct switch_user *user, bool enabled,
                       size_t n_descriptors);

/* Ends what that began; what nobody uses is closed. Returns what switch_groups_leave() does. */
bool switch_groups_close(struct switch_groups *groups, const struct switch_user *user);

/* The descriptor by which the group is read, also when its CPU has gone; -1: there is none. */
int switch_groups_leader(const struct switch_groups *groups, const struct switch_user *user);

/* Lets it count on a CPU or not. 0 or -errno. */
int switch_groups_set_enabled(struct switch_groups *groups, const struct switch_user *user,
                              bool enabled);

/*
 * All CPUs but these have been offline: what is open there has ended with its CPU, and can be
 * read as it stands until its users leave. From now on it is opened there anew.
 */
void switch_groups_keep_cpus(struct switch_groups *groups, const struct cpu_list *cpus);

/* Whether some group is open on the CPU of this number: else there is nothing to be charged. */
bool switch_groups_are_open(const struct switch_groups *groups, size_t cpu);

/* Descriptors that are open. */
size_t switch_groups_open_counters(const struct switch_groups *groups);

/* Where a group's readings stand in a cell, while it has charged users and when the last leaves. */
size_t switch_groups_first_lane(const struct switch_groups *groups, size_t group);
size_t switch_groups_n_events(const struct switch_groups *groups, size_t group);
