/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The PMUs that count no core, as targets: each PMU in each socket that has one is a target. */

#include <stddef.h>
#include <stdint.h>

#include "sys/cpu_list.h"

struct collector;

/* A PMU in one socket, with all its instances there. */
struct uncore_target {
    size_t class_index;
    int socket;            /* -1: the kernel does not tell */
    struct cpu_list *cpus; /* where it is opened: a CPU once for each instance on it */
    uint32_t *types;       /* for each of the CPUs the type of the instance */
};

struct uncore {
    struct uncore_target *targets;
    size_t n;
};

/* How many of them may have series, whatever the PMUs are: the next ones are over the limit. */
#define UNCORE_TARGETS_MAX 1024

size_t uncore_most_targets(const struct uncore *uncore);

/* Finds them, for the PMUs whose events targets.system counts. 0 or -ENOMEM. */
int collector_find_uncore(struct collector *collector);

/* Enters them in the ledger. 0 or -ENOMEM. */
int collector_enter_uncore(struct collector *collector);

/* How many descriptors their counters take. */
size_t collector_uncore_descriptors(const struct collector *collector);

void uncore_done(struct uncore *uncore);
