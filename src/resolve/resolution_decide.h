/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The one decision: which events each class of targets counts on this machine, and with which share
 * of the PMU. The cycle asks it before it counts, and `check config` asks it to print the answer.
 */

#include "resolve/resolution_budget.h"
#include "resolve/resolution_probe.h"
#include "target/cgroup_rules.h"

/* What is known of the machine, and by what it is asked. Everything is borrowed. */
struct resolution_machine {
    const struct perf_ops *perf;
    const struct cpu_list *online;      /* cgroups, and whatever is shared, count on these CPUs */
    const struct cpu_list *system_cpus; /* the system scope counts on these */
    const struct pmu_list *pmus;        /* as they are now; NULL: not known */
    int cgroup_root_fd;                 /* -1: no cgroup can be counted */
    const struct cgroup_rules *cgroup_rules; /* NULL: no cgroup is counted */
    pid_t self;            /* our own process: what may be counted of processes is asked about it */
    bool inherits_threads; /* the kernel counts threads with the thread that starts them */
    bool is_paused;        /* nothing may count on the PMU now, not even to find something out */
    bool is_shared[SCOPE_KIND_COUNT_]; /* targets of the kind share one set of counters on a CPU */
};

/* What counts already and goes on. All zero: nothing does. */
struct resolution_predecessor {
    struct open_groups open[SCOPE_KIND_COUNT_]; /* by kind: groups that are open in some scope */
    const struct pmu_share *share;              /* what was decided then; NULL: nothing was */
};

/*
 * Which of these CPUs the system scope counts on: those of targets.system.cpus, or, where that is
 * "auto", all that do not run without a tick (nohz_full). 0, or -errno: CPUs cannot be read.
 */
int resolution_system_cpus(const struct config *config, int sysfs_fd, const struct cpu_list *of,
                           struct cpu_list **ret_cpus);

/*
 * Whether what a thread starts is counted with it, where processes have counters of their own. The
 * kernel has to be able to (event_can_inherit_threads()), and nothing that is counted of processes
 * may be a probe, which is never inherited (count/perf_group.h): then each thread is counted alone.
 */
bool resolution_inherits_threads(const struct resolution *resolution, const struct perf_ops *perf);

/* Whether the kernel can be asked about a class here. Where it cannot, nothing of it is counted. */
bool resolution_can_ask(const struct resolution *resolution,
                        const struct resolution_machine *machine, size_t class_index);

/*
 * Lets generic events that the PMU does not have be what is nearest (resolution_fallback.h), asks
 * the kernel about each class, finds how many counters of the PMU are free, gives out our
 * share of them, and makes the plans and the catalogue. Called once, while no counter set of the
 * classes exists. Takes some milliseconds where the free counters have to be found; a predecessor
 * that holds some has found them. 0 or -ENOMEM.
 */
int resolution_decide(struct resolution *resolution, const struct resolution_machine *machine,
                      const struct resolution_predecessor *predecessor,
                      struct pmu_share *ret_share);

/*
 * Whether another decision, made now, would let more be counted than this one does. Asks the kernel
 * only about what is missing for a reason that can pass.
 */
bool resolution_is_outdated(struct resolution *resolution, const struct resolution_machine *machine,
                            const struct pmu_share *share);
