/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What can be counted is asked of the kernel at the start, and once a minute for
 * what is missing. Where the answer changes, the class's counters are opened
 * afresh and its totals go on.
 */
#include "app/absence_report.h"
#include "app/collector_state.h"
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

static void close_class(struct collector *collector, size_t class_index)
{
    struct ledger *ledger = &collector->ledger;

    for (size_t i = 0; i < ledger->n_entries; i++)
        if (ledger->entries[i]->class_index == class_index)
            ledger->entries[i]->counters = counter_set_free(ledger->entries[i]->counters);
    collector->open_all = true;
}

/* Moves the accounts of changed plans to the new ones. */
static int replan(struct collector *collector)
{
    struct ledger *ledger = &collector->ledger;

    for (size_t i = 0; i < ledger->n_entries; i++) {
        int r = ledger_replan(ledger, ledger->entries[i]);

        if (r < 0)
            return r;
    }
    return 0;
}

/* 1 if something has changed, 0 if not, -errno. */
static int probe_class(struct collector *collector, size_t class_index)
{
    AUTO_FREE enum absence *absences = NULL;
    struct scope scope = probe_scope(collector, class_index);
    int r;

    if (scope.kind == SCOPE_CGROUP && scope.cgroup_fd < 0)
        return 0;
    r = counting_probe(collector->counting, class_index, collector->setup.perf, &scope, &absences);
    if (r <= 0)
        return r;
    close_class(collector, class_index);
    r = counting_apply(collector->counting, class_index, absences);
    if (r >= 0)
        r = replan(collector);
    if (r >= 0)
        r = counting_update_catalogue(collector->counting);
    return r < 0 ? r : 1;
}

/* What the system scope lacks; NULL where it is not counted. */
static const struct event_groups *system_groups(const struct counting *counting)
{
    const struct event_groups *machine = counting->classes[CLASS_MACHINE].groups;

    return machine ? machine : counting->classes[CLASS_CPU].groups;
}

/* The classes of cgroups mostly share their groups: the first speaks for all. */
static void report(const struct collector *collector, size_t class_index)
{
    const struct counting *counting = collector->counting;

    if (class_index <= CLASS_CGROUP)
        absence_report(counting->classes[class_index].groups,
                       class_index < CLASS_CGROUP ? NULL : system_groups(counting));
}

static void probe_wanted(struct collector *collector, bool first)
{
    for (size_t i = 0; i < collector->counting->n_classes; i++) {
        const struct event_groups *groups = collector->counting->classes[i].groups;

        if (!groups || !(first || event_groups_want_retry(groups)))
            continue;
        /* Where the kernel cannot tell now, it is asked again in a minute. */
        if (probe_class(collector, i) != 0 || first)
            report(collector, i);
    }
    collector->probe_at_ns = clock_monotonic_ns() + PROBE_AGAIN_NS;
}

void collector_probe(struct collector *collector)
{
    probe_wanted(collector, true);
}

void collector_probe_again(struct collector *collector)
{
    if (collector->now_ns >= collector->probe_at_ns)
        probe_wanted(collector, false);
}
