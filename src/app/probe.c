/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What can be counted is asked of the kernel at the start, and once a minute for
 * what is missing. An answer that has grown makes the collector out of date: its
 * successor counts more and takes over the rest.
 */
#include <errno.h>
#include <string.h>

#include "app/absence_report.h"
#include "app/collector_state.h"
#include "app/log.h"
#include "base/clock.h"

#define PROBE_AGAIN_NS (60 * NS_PER_SECOND)

static struct scope probe_scope(const struct collector *collector, size_t class_index)
{
    if (class_index < CLASS_CGROUP)
        return (struct scope){
            .kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = collector->system_cpus};
    return (struct scope){.kind = SCOPE_CGROUP,
                          .cgroup_fd = collector->setup.cgroup_root_fd,
                          .cpus = collector->online};
}

/* A class that can be asked about: it has groups, and the machine has its scope. */
static bool can_probe(const struct collector *collector, size_t class_index)
{
    if (!collector->counting->classes[class_index].groups)
        return false;
    return class_index < CLASS_CGROUP || collector->setup.cgroup_root_fd >= 0;
}

static const struct event_groups *groups_of(const struct counting *counting, size_t class_index)
{
    return counting && class_index < counting->n_classes ? counting->classes[class_index].groups
                                                         : NULL;
}

/* Logs what a class lacks and neither an earlier class nor the predecessor has told. */
static void report(const struct collector *collector, size_t class_index,
                   const struct counting *known)
{
    const struct counting *counting = collector->counting;
    const struct event_groups *told[] = {
        groups_of(known, class_index),
        class_index > CLASS_MACHINE ? groups_of(counting, CLASS_MACHINE) : NULL,
        class_index > CLASS_CPU ? groups_of(counting, CLASS_CPU) : NULL,
        class_index > CLASS_CGROUP ? groups_of(counting, class_index - 1) : NULL,
    };

    absence_report(counting->classes[class_index].groups, told, ARRAY_SIZE(told));
}

int collector_probe(struct collector *collector, const struct counting *known)
{
    if (collector->setup.config->system.enabled && collector->system_cpus->n == 0)
        log_warning("none of the CPUs of targets.system is online");
    for (size_t i = 0; i < collector->counting->n_classes; i++) {
        struct scope scope = probe_scope(collector, i);
        int r;

        if (!can_probe(collector, i))
            continue;
        r = counting_probe(collector->counting, i, collector->setup.perf, &scope, known);
        if (r == -ENOMEM)
            return r;
        if (r < 0)
            log_warning("cannot tell what can be counted", "scope", scope_kind_name(scope.kind),
                        "error", strerror(-r));
        report(collector, i, known);
    }
    collector->probe_at_ns = clock_monotonic_ns() + PROBE_AGAIN_NS;
    return counting_update_catalogue(collector->counting);
}

void collector_probe_again(struct collector *collector)
{
    if (collector->now_ns < collector->probe_at_ns)
        return;
    collector->probe_at_ns = collector->now_ns + PROBE_AGAIN_NS;
    for (size_t i = 0; i < collector->counting->n_classes; i++) {
        struct scope scope = probe_scope(collector, i);

        if (can_probe(collector, i) &&
            event_groups_want_retry(collector->counting->classes[i].groups) &&
            counting_can_grow(collector->counting, i, collector->setup.perf, &scope) > 0)
            collector->out_of_date = true;
    }
}
