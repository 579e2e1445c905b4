/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The PMUs that the kernel has registered, by bus/event_source/devices of sysfs: with them this
 * machine can count. What the CPU could count in principle (CPUID, libpfm4) is another matter: most
 * virtual machines do not have it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sys/cpu_list.h"

struct pmu {
    char *name;            /* "cpu", "cpu_core", "armv8_pmuv3_0", "software", "uncore_imc_0" */
    uint32_t type;         /* what perf_event_attr.type takes */
    bool is_core;          /* it counts what a CPU core executes (`cycles`) */
    struct cpu_list *cpus; /* of a core PMU the CPUs that have it, of another PMU the CPUs on which
                              it is opened; NULL: the kernel names none, and any CPU will do */
};

struct pmu_list {
    size_t n;
    struct pmu *pmus; /* by ascending type; those of one type by name */
};

/*
 * Reads the list. A PMU whose type cannot be read is left out. 0; -ENOENT: the kernel has no event
 * sources; -errno: they cannot be listed. The caller owns the list.
 */
int pmu_list_read(int sysfs_fd, struct pmu_list **ret_list);
struct pmu_list *pmu_list_free(struct pmu_list *list);
DEFINE_AUTO(pmu_list, struct pmu_list *, pmu_list_free)

/*
 * Whether it counts what no core executes, as a memory controller does, or a meter of energy. Such
 * a PMU is opened on its own CPUs only, where it counts for all others too, whoever runs there.
 */
static inline bool pmu_is_uncore(const struct pmu *pmu)
{
    return !pmu->is_core && pmu->cpus;
}

/*
 * Whether the PMU has this name, or is one of several of the kind: "uncore_imc_0" of "uncore_imc".
 * The number is what perf takes for an instance too.
 */
bool pmu_is_instance(const struct pmu *pmu, const char *name);

/*
 * The PMU of this name, or, where there is none, the first instance of it. NULL: there is neither.
 * The result belongs to the list, as that of the functions below.
 */
const struct pmu *pmu_list_find_name(const struct pmu_list *list, const char *name);

/* The PMU of this type; NULL where there is none. */
const struct pmu *pmu_list_find_type(const struct pmu_list *list, uint32_t type);

/* The core PMU; where there are several kinds of cores, the one of the lowest type. NULL: none. */
const struct pmu *pmu_list_core(const struct pmu_list *list);

/* How many core PMUs there are: more than one where the machine has several kinds of cores. */
size_t pmu_list_n_cores(const struct pmu_list *list);

/* The list itself where the machine has several kinds of cores; else, and of no list, NULL. */
const struct pmu_list *pmu_list_if_hybrid(const struct pmu_list *list);

/* The core PMU of this index, from 0, by ascending type; NULL: there are not so many. */
const struct pmu *pmu_list_nth_core(const struct pmu_list *list, size_t index);

/* The core PMU of this CPU; NULL: none. */
const struct pmu *pmu_list_core_of(const struct pmu_list *list, struct cpu_number cpu);
