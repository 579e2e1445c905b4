/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/absence_advice.h"

#include <stddef.h>

#define DESCRIPTOR_ADVICE "raise LimitNOFILE= of the unit, or ulimit -n"
#define MEMORY_ADVICE                                                                              \
    "raise the memory limit of the exporter's own cgroup (MemoryMax= of the unit, limits.memory "  \
    "of the pod)"

static const char *const advice[ABSENCE_COUNT_] = {
    [ABSENCE_NO_PMU] = "this machine shows no such PMU (sysfs bus/event_source/devices); most "
                       "virtual machines have none",
    [ABSENCE_BAD_FILTER] = "the kernel does not take the filter; expected a condition over the "
                           "event's fields, such as prev_prio < 100 && prev_comm == \"x\"",
    [ABSENCE_UNKNOWN_EVENT] = "no source of events knows this name",
    [ABSENCE_NOT_SUPPORTED] = "the kernel or PMU refuses it in this scope",
    [ABSENCE_NOT_PERMITTED] =
        "grant CAP_PERFMON, or lower kernel.perf_event_paranoid; above 2, as "
        "Debian and Ubuntu have "
        "it, the kernel may want both; a probe on a program wants CAP_SYS_ADMIN; "
        "an LSM may forbid it too",
    [ABSENCE_PMU_BUSY] = "its counters are held by somebody else; tried again every minute",
    [ABSENCE_OVER_BUDGET] = "our share of the PMU's counters is used up (limits.pmu_counters): "
                            "count fewer events, scopes or levels, or allow more",
    [ABSENCE_GROUP_TOO_LARGE] = "the PMU has not enough counters for the whole group: split it",
    [ABSENCE_OVER_LIMIT] =
        "by bpf a CPU has at most 64 events of cgroups and processes: choose a "
        "narrower wildcard, or counting: direct, or count them for targets.system",
    [ABSENCE_NO_DESCRIPTORS] = DESCRIPTOR_ADVICE,
    [ABSENCE_NO_MEMORY] = MEMORY_ADVICE,
    [ABSENCE_CPU_OFFLINE] = "none of the CPUs that targets.system.cpus names is online; auto takes "
                            "those that are",
};

/* The kernel may count an event in the root of all cgroups and refuse it in every other cgroup. */
static const char cgroup_advice[] =
    "the kernel refuses them; on a bare v2 tree it does so until some controller was once enabled "
    "in the root's cgroup.subtree_control";

const char *absence_advice(enum absence absence)
{
    return advice[absence] ? advice[absence] : "";
}

const char *absence_target_advice(enum scope_kind kind, enum absence absence)
{
    switch (absence) {
    case ABSENCE_NOT_SUPPORTED:
        return kind == SCOPE_CGROUP ? cgroup_advice : NULL;
    case ABSENCE_NOT_PERMITTED:
        return "pmutool check config tells what is missing; so does the line about events";
    case ABSENCE_NO_DESCRIPTORS:
        return DESCRIPTOR_ADVICE;
    case ABSENCE_NO_MEMORY:
        return MEMORY_ADVICE;
    case ABSENCE_OVER_LIMIT:
        return "raise limits: in the configuration, or let rules take fewer; of probes "
               "direct opens 256";
    default:
        return NULL;
    }
}
