/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The CPUs on which a collector counts. */

#include "cycle/setup.h"
#include "sys/cpu_births.h"
#include "sys/cpu_domains.h"
#include "sys/pmu.h"

struct counted_cpus {
    struct cpu_births *births;
    const struct cpu_list *online; /* CPUs online when the collector was made; part of births */
    struct cpu_list *known; /* CPUs that were online at some time, for it or for a predecessor */
    struct cpu_domains *domains[CONFIG_BYS_]; /* of the known CPUs; NULL unless a target is told by
                                                 them */
    struct cpu_list *continuing; /* CPUs that stayed online since the predecessor was made; NULL:
                                    there is no predecessor */
    struct cpu_list *system;     /* CPUs on which the system scope counts */
    struct pmu_list *pmus;       /* PMUs as they were when the collector was made; NULL: unknown */
    size_t n_offline;            /* CPUs that the system scope wants, and that have gone offline */
    struct cpu_list **single;    /* for each CPU of `system` a list of it alone; NULL until split */
};

/*
 * Reads which CPUs are there. before: those of the predecessor, or NULL. 0 or -errno; what was read
 * until a failure is for counted_cpus_done().
 */
int counted_cpus_read(struct counted_cpus *cpus, const struct collector_setup *setup,
                      const struct counted_cpus *before);

/* Makes the lists of single CPUs. 0 or -ENOMEM. */
int counted_cpus_split(struct counted_cpus *cpus);

void counted_cpus_done(struct counted_cpus *cpus);

/* Whether a CPU has come or gone since they were read, also for a moment. A few system calls. */
bool counted_cpus_changed(const struct counted_cpus *cpus, int sysfs_fd);
