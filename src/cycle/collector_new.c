/* SPDX-License-Identifier: Apache-2.0 */

/* How a collector comes into being: its parts, in the order in which they need each other. */
#include <errno.h>
#include <math.h>

#include "cycle/by_domain.h"
#include "cycle/collector_parts.h"
#include "cycle/description.h"
#include "cycle/latencies.h"
#include "cycle/profiles.h"
#include "cycle/spans.h"
#include "cycle/stages.h"
#include "cycle/timed_calls.h"
#include "resolve/resolution_decide.h"

static int make_ledger(struct collector *collector)
{
    const struct config_limits *limits = &collector->setup.config->limits;
    const struct ledger_limits of_ledger = {
        .targets = (size_t)limits->cgroups + (size_t)limits->processes + 1 +
                   collector->cpus.system->n + uncore_most_targets(&collector->uncore),
        .footprint = {.series = (size_t)limits->series, .bytes = (size_t)limits->body},
    };
    const struct ledger_sets sets = {.cgroups = collector->cgroups.targets,
                                     .processes = collector->processes.targets,
                                     .profiles = collector->setup.profiles};
    int r;

    ledger_init(&collector->ledger, collector->resolution, &sets, &of_ledger);
    r = collector_enter_machine(collector);
    return r < 0 ? r : collector_enter_uncore(collector);
}

/* What can be counted decides how many descriptors a cgroup takes, and with it how many fit. */
static int make_parts(struct collector *collector, const struct collector *predecessor)
{
    const struct collector_setup *setup = &collector->setup;
    int r = counted_cpus_read(&collector->cpus, setup, predecessor ? &predecessor->cpus : NULL);

    if (r >= 0)
        r = collector_observe(collector, predecessor);
    if (r >= 0)
        r = resolution_new(setup->config, setup->resolver, &collector->resolution);
    if (r >= 0)
        r = collector_plan_by_domain(collector);
    if (r >= 0)
        collector_plan_profiles(collector);
    if (r >= 0)
        r = collector_find_uncore(collector);
    if (r >= 0)
        collector->processes.can_inherit_threads =
            resolution_inherits_threads(collector->resolution, setup->perf);
    if (r >= 0)
        r = collector_make_cgroup_rules(collector);
    if (r >= 0)
        r = collector_probe(collector, predecessor);
    if (r >= 0)
        r = collector_sample_by_domain(collector);
    if (r >= 0)
        r = collector_make_cgroups(collector);
    if (r >= 0)
        r = collector_make_processes(collector);
    return r < 0 ? r : make_ledger(collector);
}

/*
 * What cannot fail any more: the mechanism of latencies, which both may have, does what the new
 * collector asks of it.
 */
static void take_over_latencies(struct collector *collector, const struct collector *predecessor)
{
    collector_observe_alone(collector, predecessor);
    collector_time_calls(collector);
    collector_follow_spans(collector);
}

int collector_new(const struct collector_setup *setup, struct collector *predecessor,
                  struct collector **ret_collector)
{
    AUTO(collector) struct collector *collector = calloc(1, sizeof(*collector));
    int r;

    if (!collector)
        return -ENOMEM;
    collector->setup = *setup;
    collector->readings.wants_open = true;
    collector_describe(collector);
    collector_note_doubt(collector, NAN);
    collector_note_reload(collector, true);
    r = make_parts(collector, predecessor);
    if (r >= 0 && predecessor)
        r = collector_succeed(collector, predecessor);
    if (r < 0) {
        if (predecessor)
            collector_observe_alone(predecessor, collector);
        return r;
    }
    take_over_latencies(collector, predecessor);
    *ret_collector = TAKE(collector);
    return 0;
}

struct collector *collector_free(struct collector *collector)
{
    if (!collector)
        return NULL;
    ledger_done(&collector->ledger);
    (void)roster_unref(collector->roster);
    counted_cgroups_done(&collector->cgroups);
    counted_processes_done(&collector->processes);
    uncore_done(&collector->uncore);
    machine_domains_done(&collector->machine.each);
    (void)resolution_free(collector->resolution);
    counted_cpus_done(&collector->cpus);
    turns_done(&collector->opener.cgroups);
    turns_done(&collector->opener.processes);
    free(collector->opener.sets);
    free(collector);
    return NULL;
}
