/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The kernel is asked at the start what can be counted, and once a minute for what is missing.
 * Where the answer has grown, the collector is out of date: a successor counts more and takes over
 * the rest.
 */
#include "cycle/probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cycle/absence_report.h"
#include "cycle/collector_parts.h"
#include "log/log.h"
#include "resolve/resolution_decide.h"
#include "resolve/resolution_probe.h"

#define PROBE_AGAIN_NS (60 * NS_PER_SECOND)

static struct resolution_machine describe_machine(const struct collector *collector)
{
    const struct collector_setup *setup = &collector->setup;
    struct resolution_machine machine = {
        .perf = setup->perf,
        .online = collector->cpus.online,
        .system_cpus = collector->cpus.system,
        .pmus = collector->cpus.pmus,
        .cgroup_root_fd = setup->cgroup_root_fd,
        .cgroup_rules = collector->cgroups.rules,
        .self = getpid(),
        .inherits_threads = collector->processes.can_inherit_threads,
        .is_paused = setup->direct->paused,
    };

    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        machine.is_shared[kind] = mechanism_is_shared(setup->bpf, kind);
    return machine;
}

static bool is_open_anywhere(const struct collector *collector, size_t class_index, size_t group)
{
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        const struct entry *entry = collector->ledger.entries[i];

        if (entry->class_index != class_index)
            continue;
        if (entry->group ? process_group_is_open(entry->group, group)
                         : entry->counters && counter_set_is_open(entry->counters, group))
            return true;
    }
    return false;
}

/* Lists the groups that a collector has open in a scope. 0 or -ENOMEM; the caller frees the array.
 */
static int list_open(const struct collector *collector, enum scope_kind kind,
                     struct open_groups *ret_open)
{
    const struct resolution *resolution = collector->resolution;
    struct open_groups open = {0};
    size_t most = 0;

    for (size_t i = 0; i < resolution->n_classes; i++)
        most += resolution->classes[i].groups ? resolution->classes[i].groups->n_groups : 0;
    open.groups = calloc(most + 1, sizeof(*open.groups));
    if (!open.groups)
        return -ENOMEM;
    for (size_t i = 0; i < resolution->n_classes; i++) {
        const struct event_groups *groups = resolution->classes[i].groups;

        for (size_t g = 0; groups && groups->kind == kind && g < groups->n_groups; g++)
            if (is_open_anywhere(collector, i, g))
                open.groups[open.n++] = &groups->groups[g];
    }
    *ret_open = open;
    return 0;
}

/* Asks the kernel; what the predecessor has open goes on, whatever the kernel says to newcomers. */
static int decide(struct collector *collector, const struct collector *predecessor)
{
    const struct resolution_machine machine = describe_machine(collector);
    struct resolution_predecessor before = {0};
    int r = 0;

    if (predecessor)
        before.share = &predecessor->pmu.share;
    for (enum scope_kind kind = 0; predecessor && kind < SCOPE_KIND_COUNT_ && r >= 0; kind++)
        r = list_open(predecessor, kind, &before.open[kind]);
    if (r >= 0)
        r = resolution_decide(collector->resolution, &machine, &before, &collector->pmu.share);
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        free(before.open[kind].groups);
    return r;
}

static const struct event_groups *groups_of(const struct resolution *resolution, size_t class_index)
{
    return resolution && class_index < resolution->n_classes
               ? resolution->classes[class_index].groups
               : NULL;
}

/* Logs what a class lacks, unless it was logged for an earlier class or by the predecessor. */
static void log_absences(const struct collector *collector, size_t class_index,
                         const struct resolution *known)
{
    const struct resolution *resolution = collector->resolution;
    const struct event_groups *logged[] = {
        groups_of(known, class_index),
        class_index > CLASS_MACHINE ? groups_of(resolution, CLASS_MACHINE) : NULL,
        class_index > CLASS_CPU ? groups_of(resolution, CLASS_CPU) : NULL,
        class_index > CLASS_CGROUP ? groups_of(resolution, class_index - 1) : NULL,
    };

    absence_report(resolution->classes[class_index].groups, logged, ARRAY_SIZE(logged));
}

/* Logs for each class what is not counted, and what the kernel could not tell. */
static void log_classes(const struct collector *collector, const struct collector *predecessor)
{
    const struct resolution *resolution = collector->resolution;
    const struct resolution_machine machine = describe_machine(collector);

    for (size_t i = 0; i < resolution->n_classes; i++) {
        if (!resolution_can_ask(resolution, &machine, i))
            continue;
        if (resolution->classes[i].unsure)
            log_warning("the kernel cannot tell what can be counted, it is asked again", "scope",
                        scope_kind_name(resolution->classes[i].kind));
        log_absences(collector, i, predecessor ? predecessor->resolution : NULL);
    }
}

static const char *number(size_t n, char buffer[static 24])
{
    (void)snprintf(buffer, 24, "%zu", n);
    return buffer;
}

/* Logs names that stand for more events than are taken, unless the predecessor has logged it. */
static void log_limit(const struct resolution *resolution, const struct resolution *known)
{
    for (size_t i = 0; i < resolution->n_expanded; i++) {
        const struct expanded_name *name = &resolution->expanded[i];
        const struct event_expansion *before =
            known ? resolution_find_expansion(known, name->name) : NULL;
        char taken[24], left_out[24];

        if (name->expansion.n_beyond > 0 &&
            !(before && before->n_beyond == name->expansion.n_beyond))
            log_warning("a name stands for more events than are taken", "name", name->name, "taken",
                        number(name->expansion.n_names, taken), "left_out",
                        number(name->expansion.n_beyond, left_out), "hint",
                        "write a name that stands for fewer");
    }
}

static bool same_share(const struct pmu_share *a, const struct pmu_share *b)
{
    return a->is_wanted && b->is_wanted && a->is_measured == b->is_measured &&
           a->n_free == b->n_free && a->budget == b->budget &&
           memcmp(&a->division, &b->division, sizeof(a->division)) == 0;
}

static void log_share(const struct pmu_share *share)
{
    char n_free[24], budget[24], processes[24], cgroups[24], system[24];
    const char *found = share->is_measured ? number(share->n_free, n_free) : "unknown";

    (void)number(share->division.processes, processes);
    (void)number(share->division.cgroups, cgroups);
    (void)number(share->division.system, system);
    if (share->budget == PMU_COUNTERS_ALL)
        log_warning("limits.pmu_counters is all: others that count tasks have what is left, and "
                    "turns where nothing is",
                    "free", found, "processes", processes, "cgroups", cgroups, "system", system);
    else
        log_info("counters of the PMU on each CPU", "free", found, "budget",
                 number(share->budget, budget), "processes", processes, "cgroups", cgroups,
                 "system", system);
}

int collector_probe(struct collector *collector, const struct collector *predecessor)
{
    const struct pmu_share *share = &collector->pmu.share;
    int r;

    if (collector->setup.config->system.enabled && collector->cpus.system->n == 0)
        log_warning("none of the CPUs of targets.system is online");
    r = decide(collector, predecessor);
    if (r < 0)
        return r;
    if (share->is_wanted && !(predecessor && same_share(share, &predecessor->pmu.share)))
        log_share(share);
    log_classes(collector, predecessor);
    log_limit(collector->resolution, predecessor ? predecessor->resolution : NULL);
    collector->prober.again_at_ns = clock_monotonic_ns() + PROBE_AGAIN_NS;
    return 0;
}

void collector_probe_again(struct collector *collector, uint64_t now_ns)
{
    struct prober *prober = &collector->prober;
    struct resolution_machine machine;

    if (now_ns < prober->again_at_ns)
        return;
    prober->again_at_ns = now_ns + PROBE_AGAIN_NS;
    machine = describe_machine(collector);
    prober->found_more |=
        resolution_is_outdated(collector->resolution, &machine, &collector->pmu.share) ||
        resolution_could_find_more(collector->resolution, collector->setup.resolver);
}

bool collector_is_out_of_date(struct collector *collector)
{
    const bool found_more = collector->prober.found_more;

    collector->prober.found_more = false;
    return found_more;
}
