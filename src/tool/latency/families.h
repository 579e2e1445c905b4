/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What `pmutool latency` can show of a target: families of /metrics, by kind. */

#include <stdbool.h>
#include <stddef.h>

struct latency_family {
    const char *kind; /* as --kind has it: "off_cpu" */
    const char *part; /* what asks for it in the configuration, and in /api/v1/status */
    /* The label that tells its distributions apart. With `value` it is that one alone, and shown
     * also where it has counted nothing. NULL: the family has one distribution. */
    const char *label, *value;
    const char *name; /* what stands behind "pmu_cgroup_" in /metrics */
    const char *title;
    const char *count_of; /* what it counts, which has no durations; NULL: it has them */
};

#define LATENCY_FAMILIES 21

/* Those of a kind follow each other, and so do those of one name, and counts of one label. */
extern const struct latency_family latency_families[LATENCY_FAMILIES];

/* The words that --kind takes, for people. */
#define LATENCY_KINDS                                                                              \
    "run_queue, on_cpu, off_cpu, block_io, interrupts, kvm, tcp, system_calls or spans"

/* The first family of a kind; NULL: there is no such kind. */
const struct latency_family *latency_family_of_kind(const char *kind);

/* Whether it has times of system calls, of which the configuration may have one in 17 timed. */
bool latency_family_is_timed(const struct latency_family *family);
