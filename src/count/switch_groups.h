/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The groups of perf events that the program in the kernel reads: each open once on every
 * CPU, whatever the number of targets that are counted by it.
 */

#include "count/event_group.h"
#include "count/mechanism.h"
#include "sys/switch_program.h"

/* More groups than a configuration can have counted at once. */
#define SWITCH_GROUPS_MAX 16

struct switch_groups;

/* Program and operations are borrowed. NULL if there is no memory. */
struct switch_groups *switch_groups_new(struct switch_program *program, const struct perf_ops *ops,
                                        const struct switch_program_size *size);
struct switch_groups *switch_groups_free(struct switch_groups *groups);
DEFINE_AUTO(switch_groups, struct switch_groups *, switch_groups_free)

/*
 * The group that counts these events; a new one is open nowhere. 0; -ENOSPC: there is no
 * room for it; -ENOMEM.
 */
int switch_groups_find(struct switch_groups *groups, const struct event_group *wanted,
                       size_t *ret_group);

/*
 * Opens a group on a CPU, if it is not open there; enabled: it is to count. 0 or -errno;
 * -EMFILE: it would take more than n_descriptors.
 */
int switch_groups_open(struct switch_groups *groups, size_t group, struct cpu_number cpu,
                       bool enabled, size_t n_descriptors);

/* Notes a user of a group that is open. */
void switch_groups_use(struct switch_groups *groups, size_t group);

/*
 * One user less; without any it is closed. True: that was done, and its lanes are to be
 * cleared, once each CPU has been refreshed.
 */
bool switch_groups_leave(struct switch_groups *groups, size_t group);

/* Lets it count on a CPU or not. 0 or -errno. */
int switch_groups_set_enabled(struct switch_groups *groups, size_t group, struct cpu_number cpu,
                              bool enabled);

/* The CPU has gone: descriptors of it count nothing any more, also when it is back. */
void switch_groups_lose_cpu(struct switch_groups *groups, struct cpu_number cpu);

/* It is back: opens again what was lost there, if something was. 0 or -errno. */
int switch_groups_regain_cpu(struct switch_groups *groups, struct cpu_number cpu);

/* Descriptors that are open. */
size_t switch_groups_open_counters(const struct switch_groups *groups);

/* Where a group's readings stand in a cell. */
size_t switch_groups_first_lane(const struct switch_groups *groups, size_t group);
size_t switch_groups_n_events(const struct switch_groups *groups, size_t group);
