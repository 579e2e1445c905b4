/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The PMUs that the kernel has registered, from bus/event_source/devices of
 * sysfs: what this machine can count with. What the CPU could do in principle
 * (CPUID, libpfm4) is another matter: in most virtual machines it is not here.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sys/cpu_list.h"

struct pmu {
    char *name;            /* "cpu", "cpu_core", "armv8_pmuv3_0", "software", "uncore_imc_0" */
    uint32_t type;         /* what perf_event_attr.type takes */
    bool is_core;          /* counts what a CPU core executes (`cycles`) */
    struct cpu_list *cpus; /* a core PMU: the CPUs that have it; another: those to open it on.
                              NULL where the kernel names none: any CPU */
};

struct pmu_list {
    size_t n;
    struct pmu *pmus; /* by ascending type */
};

/*
 * 0; -ENOENT where the kernel has no event sources, -errno where they cannot be
 * listed. A PMU whose type cannot be read is left out. The caller owns the list.
 */
int pmu_list_read(int sysfs_fd, struct pmu_list **ret_list);
struct pmu_list *pmu_list_free(struct pmu_list *list);
DEFINE_AUTO(pmu_list, struct pmu_list *, pmu_list_free)

/* The PMU of this type; NULL where there is none. The result belongs to the list. */
const struct pmu *pmu_list_find_type(const struct pmu_list *list, uint32_t type);

/* The core PMU, the one with the lowest type where CPUs differ in kind; NULL: none. */
const struct pmu *pmu_list_core(const struct pmu_list *list);

/* The core PMU of this CPU; NULL: none. */
const struct pmu *pmu_list_core_of(const struct pmu_list *list, struct cpu_number cpu);
