/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * PMUs that count no core: memory controllers, links between sockets, meters of energy. The kernel
 * names the CPUs on which such a PMU is opened, mostly one of each socket, and what is counted
 * there is of the whole socket, whoever runs. A PMU often has several instances ("uncore_imc_0",
 * "uncore_imc_1"); an event that names what they have in common is counted by all of them.
 */

#include "resolve/resolution.h"
#include "sys/pmu.h"

/* Whether the event is one of the class: the PMUs beyond the cores have classes of their own. */
bool target_class_may_count(const struct target_class *class, const struct event *event);

/*
 * The PMUs beyond the cores of which targets.system wants events, each once. Returns how many there
 * are. ret_pmus: an array that the caller frees, of names that belong to the events; NULL if there
 * is no memory.
 */
size_t resolution_list_uncore(const struct resolution *resolution, const char ***ret_pmus);

/* The CPUs of the PMU, or of its first instance. No CPU where the PMU is not there. */
const struct cpu_list *uncore_cpus(const struct pmu_list *pmus, const char *pmu);

/* Where an instance of a PMU is opened. */
struct uncore_place {
    int socket; /* -1: the kernel does not tell */
    struct cpu_number cpu;
    uint32_t type; /* of the instance */
};

struct uncore_places {
    size_t n;
    struct uncore_place places[]; /* by socket, then by CPU, then by type */
};

/*
 * Where all instances of a PMU are opened. sysfs_fd tells in which socket a CPU is. 0 or -ENOMEM;
 * the caller frees the places.
 */
int uncore_places_read(int sysfs_fd, const struct pmu_list *pmus, const char *pmu,
                       struct uncore_places **ret_places);
