/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/counted_cgroups.h"

#include "base/share.h"
#include "config/config_cgroups.h"
#include "cycle/collector_parts.h"
#include "cycle/memory_share.h"

/* Of what lingers or rests, so many end in a cycle where memory is used up. */
#define MOST_FORGOTTEN 100

/*
 * How many descriptors the counters of the system take, or, where one set on each CPU serves
 * all, how many that set takes.
 */
static size_t system_descriptors(const struct collector *collector)
{
    const struct resolution *resolution = collector->resolution;
    const size_t of_uncore = collector_uncore_descriptors(collector);

    if (mechanism_is_shared(collector->setup.bpf, SCOPE_SYSTEM))
        return of_uncore + resolution_shared_events(resolution, &collector->pmu.share) *
                               collector->cpus.online->n;
    return of_uncore + resolution_most_opened(resolution, SCOPE_SYSTEM) * collector->cpus.system->n;
}

/* How many descriptors one cgroup takes: its directory, and its counters where it has its own. */
static size_t descriptors_of_one(const struct collector *collector)
{
    const size_t directory = 1;

    if (mechanism_is_shared(collector->setup.bpf, SCOPE_CGROUP))
        return directory;
    return directory +
           resolution_most_opened(collector->resolution, SCOPE_CGROUP) * collector->cpus.online->n;
}

/* How many there are, which have their memory already. */
static size_t standing(const struct collector *collector)
{
    const struct cgroup_targets *targets = collector->cgroups.targets;

    return targets ? cgroup_targets_census(targets)->standing : collector->setup.targets_before;
}

static size_t bytes_of_one(const struct collector *collector)
{
    const struct resolution *resolution = collector->resolution;
    size_t most = 0;

    for (size_t i = CLASS_CGROUP; i < CLASS_CGROUP + collector->setup.config->n_cgroups; i++) {
        const struct plan *plan = resolution->classes[i].plan;
        const size_t bytes = plan ? memory_share_of_target(plan, descriptors_of_one(collector)) : 0;

        most = bytes > most ? bytes : most;
    }
    return most;
}

/*
 * As many cgroups as the configuration allows, and descriptors and memory suffice for. So the share
 * of one top-level cgroup is a share of these too.
 */
static struct cgroup_limits cgroup_limits(const struct collector *collector)
{
    const struct memory_room *memory = &collector->setup.memory;
    const size_t wanted = (size_t)collector->setup.config->limits.cgroups;
    const size_t all = collector->setup.descriptors;
    const size_t others = system_descriptors(collector) + collector_process_descriptors(collector);
    const size_t fit = all > others ? (all - others) / descriptors_of_one(collector) : 0;
    const struct memory_targets afford =
        memory_share_targets(memory, standing(collector), bytes_of_one(collector));
    const size_t most = wanted < fit ? wanted : fit;
    struct cgroup_limits limits = {
        .targets = afford.all < most ? afford.all : most,
        .until_next = afford.now,
        .reason = wanted <= fit ? ABSENCE_OVER_LIMIT : ABSENCE_NO_DESCRIPTORS,
        .tree_bytes = memory_share_of_part(memory),
    };

    if (afford.all < most)
        limits.reason = ABSENCE_NO_MEMORY;
    limits.per_subtree = share_of_one(limits.targets);
    return limits;
}

/* What rests keeps its totals, unless memory is so short that they have to go too. */
void collector_follow_memory(struct collector *collector, const struct memory_room *memory)
{
    struct cgroup_limits limits;

    collector->setup.memory = *memory;
    if (!collector->cgroups.targets)
        return;
    limits = cgroup_limits(collector);
    cgroup_targets_set_limits(collector->cgroups.targets, &limits);
    if (memory_share_is_used_up(memory))
        ledger_forget(&collector->ledger, MOST_FORGOTTEN);
}

size_t collector_n_cgroups(const struct collector *collector)
{
    return standing(collector);
}

int collector_make_cgroup_rules(struct collector *collector)
{
    const struct config *config = collector->setup.config;

    if (config->n_cgroups == 0 || collector->setup.cgroup_root_fd < 0)
        return 0;
    return config_cgroups_make(config, &collector->cgroups.rules);
}

int collector_make_cgroups(struct collector *collector)
{
    struct counted_cgroups *cgroups = &collector->cgroups;
    const struct cgroup_limits limits = cgroup_limits(collector);
    int r;

    cgroups->may_have_changed = true;
    if (!cgroups->rules)
        return 0;
    r = cgroup_targets_new(collector->setup.cgroup_root_fd, cgroups->rules, &limits,
                           &cgroups->targets);
    if (r >= 0 && collector->setup.names)
        cgroup_targets_set_names(cgroups->targets, collector->setup.names);
    return r;
}

void counted_cgroups_done(struct counted_cgroups *cgroups)
{
    (void)cgroup_targets_free(cgroups->targets);
    (void)cgroup_rules_free(cgroups->rules);
    *cgroups = (struct counted_cgroups){0};
}
