/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * On which CPUs a group of processes ran. Only counters of whole processes tell: they are read on
 * each CPU. Those of threads tell how long a thread ran, and not where, so that of them nothing is
 * known. The times grow as totals do, and outlive the members.
 */

#include "cycle/process_group.h"

/* A member leaves the group after its last reading: what it has run stays the group's. */
void process_times_keep(struct process_group *group, const struct process_member *member);

/*
 * The group goes on from where another one stands, of whose members it may have taken over some
 * counters. cpus: on which whole processes are counted here; borrowed for the life of the group.
 */
void process_times_adopt(struct process_group *group, const struct process_group *from,
                         const struct cpu_list *cpus);

/*
 * Writes for how long the group has run on each of these CPUs, in ns. What is not known stays as it
 * is: where nothing of its members is read, or it has had none that was counted so.
 */
void process_times_read(const struct process_group *group, const struct cpu_list *cpus,
                        uint64_t *ran_ns);
