/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The kernel is asked at the start what can be counted, and once a minute for what is missing.
 * Where the answer has grown, the collector is out of date: a successor counts more and takes over
 * the rest.
 */
#include "cycle/probe.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "cycle/absence_report.h"
#include "cycle/collector_parts.h"
#include "log/log.h"
#include "resolve/resolution_probe.h"

#define PROBE_AGAIN_NS (60 * NS_PER_SECOND)

/*
 * The scope in which the kernel is asked about a class. For processes that is our own: what the
 * kernel allows of others is found out when each of them is opened. For cgroups it is the root.
 */
static struct scope probe_scope(const struct collector *collector, size_t class_index,
                                const pid_t *self)
{
    struct scope scope = {.kind = collector->resolution->classes[class_index].kind,
                          .cgroup_fd = -1};

    switch (scope.kind) {
    case SCOPE_PROCESS:
        if (setup_shares_counters(&collector->setup, SCOPE_PROCESS)) {
            scope.cpus = collector->cpus.online;
            break;
        }
        scope.tasks = self;
        scope.n_tasks = 1;
        scope.inherit =
            collector->processes.can_inherit_threads ? INHERIT_THREADS : INHERIT_NOTHING;
        break;
    case SCOPE_CGROUP:
        scope.cgroup_fd = collector->setup.cgroup_root_fd;
        scope.cpus = collector->cpus.online;
        break;
    default:
        scope.cpus = collector->cpus.system;
        break;
    }
    return scope;
}

/* A class that can be asked about: it has groups, and the machine has its scope. */
static bool can_probe(const struct collector *collector, size_t class_index)
{
    const struct target_class *class = &collector->resolution->classes[class_index];

    return class->groups && (class->kind != SCOPE_CGROUP || collector->setup.cgroup_root_fd >= 0);
}

static const struct event_groups *groups_of(const struct resolution *resolution, size_t class_index)
{
    return resolution && class_index < resolution->n_classes
               ? resolution->classes[class_index].groups
               : NULL;
}

/* Logs what a class lacks, unless it was logged for an earlier class or by the predecessor. */
static void report(const struct collector *collector, size_t class_index,
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

/* What the predecessor has open in a scope. 0 or -ENOMEM; the caller frees the array. */
static int list_open(const struct collector *predecessor, enum scope_kind kind,
                     struct open_groups *ret_open)
{
    const struct resolution *resolution = predecessor ? predecessor->resolution : NULL;
    struct open_groups open = {0};
    size_t most = 0;

    for (size_t i = 0; resolution && i < resolution->n_classes; i++)
        most += resolution->classes[i].groups ? resolution->classes[i].groups->n_groups : 0;
    open.groups = calloc(most + 1, sizeof(*open.groups));
    if (!open.groups)
        return -ENOMEM;
    for (size_t i = 0; resolution && i < resolution->n_classes; i++) {
        const struct event_groups *groups = resolution->classes[i].groups;

        for (size_t g = 0; groups && groups->kind == kind && g < groups->n_groups; g++)
            if (is_open_anywhere(predecessor, i, g))
                open.groups[open.n++] = &groups->groups[g];
    }
    *ret_open = open;
    return 0;
}

static int probe_class(struct collector *collector, size_t class_index,
                       const struct collector *predecessor)
{
    struct resolution *resolution = collector->resolution;
    const pid_t self = getpid();
    struct scope scope = probe_scope(collector, class_index, &self);
    struct open_groups open;
    int r = list_open(predecessor, scope.kind, &open);

    if (r < 0)
        return r;
    r = resolution_probe(resolution, class_index, collector->setup.perf, &scope, &open);
    free(open.groups);
    if (r < 0)
        return r;
    if (resolution->classes[class_index].unsure)
        log_warning("the kernel cannot tell what can be counted, it is asked again", "scope",
                    scope_kind_name(scope.kind));
    return 0;
}

int collector_probe(struct collector *collector, const struct collector *predecessor)
{
    int r = 0;

    if (collector->setup.config->system.enabled && collector->cpus.system->n == 0)
        log_warning("none of the CPUs of targets.system is online");
    for (size_t i = 0; i < collector->resolution->n_classes && r >= 0; i++)
        r = can_probe(collector, i) ? probe_class(collector, i, predecessor) : 0;
    if (r >= 0)
        r = collector_divide_counters(collector, predecessor ? &predecessor->pmu : NULL);
    if (r < 0)
        return r;
    for (size_t i = 0; i < collector->resolution->n_classes; i++)
        if (can_probe(collector, i))
            report(collector, i, predecessor ? predecessor->resolution : NULL);
    collector->prober.again_at_ns = clock_monotonic_ns() + PROBE_AGAIN_NS;
    return resolution_update_catalogue(collector->resolution);
}

void collector_probe_again(struct collector *collector, uint64_t now_ns)
{
    struct prober *prober = &collector->prober;
    const pid_t self = getpid();

    if (now_ns < prober->again_at_ns)
        return;
    prober->again_at_ns = now_ns + PROBE_AGAIN_NS;
    for (size_t i = 0; i < collector->resolution->n_classes; i++) {
        const struct target_class *class = &collector->resolution->classes[i];
        const struct scope scope = probe_scope(collector, i, &self);

        if (can_probe(collector, i) && (class->unsure || event_groups_want_retry(class->groups)) &&
            resolution_can_grow(collector->resolution, i, collector->setup.perf, &scope) > 0)
            prober->found_more = true;
    }
    if (!prober->found_more)
        prober->found_more = collector_may_grant_more(collector);
}

bool collector_is_out_of_date(struct collector *collector)
{
    const bool found_more = collector->prober.found_more;

    collector->prober.found_more = false;
    return found_more;
}
