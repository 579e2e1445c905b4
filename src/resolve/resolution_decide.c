/* SPDX-License-Identifier: Apache-2.0 */

/*
 * How many counters are free is found before anything of ours is counted. Later our own counters,
 * which come and go with the cgroups that run, could not be told from those of others: so who
 * takes over from somebody that holds counters takes that number over too.
 *
 * How deep cgroups nest is looked up now, and the counters are given out for that. A chain that
 * becomes longer later has what is left.
 */
#include "resolve/resolution_decide.h"

#include <string.h>

#include "resolve/resolution_catalogue.h"
#include "resolve/resolution_charged.h"
#include "resolve/resolution_fallback.h"
#include "resolve/uncore.h"
#include "target/cgroup_nesting.h"

int resolution_system_cpus(const struct config *config, int sysfs_fd, const struct cpu_list *of,
                           struct cpu_list **ret_cpus)
{
    const char *wanted = config->system.cpus.text;
    AUTO(cpu_list) struct cpu_list *named = NULL, *others = NULL;
    int r;

    if (!wanted) {
        r = cpu_list_read_nohz_full(sysfs_fd, &named);
        return r < 0 ? r : cpu_list_subtract(of, named, ret_cpus);
    }
    r = cpu_list_parse(wanted, &named);
    if (r >= 0)
        r = cpu_list_subtract(of, named, &others);
    return r < 0 ? r : cpu_list_subtract(of, others, ret_cpus);
}

static bool has_probe(const struct event_groups *groups)
{
    for (size_t g = 0; groups && g < groups->n_groups; g++)
        for (size_t i = 0; i < groups->groups[g].n_members; i++)
            if (event_code_is_probe(&groups->groups[g].members[i].event->code))
                return true;
    return false;
}

bool resolution_inherits_threads(const struct resolution *resolution, const struct perf_ops *perf)
{
    for (size_t i = 0; i < resolution->n_classes; i++)
        if (resolution->classes[i].kind == SCOPE_PROCESS &&
            has_probe(resolution->classes[i].groups))
            return false;
    return resolution->config->n_processes > 0 && event_can_inherit_threads(perf);
}

bool resolution_can_ask(const struct resolution *resolution,
                        const struct resolution_machine *machine, size_t class_index)
{
    const struct target_class *class = &resolution->classes[class_index];

    return class->groups && (class->kind != SCOPE_CGROUP || machine->cgroup_root_fd >= 0);
}

/*
 * Where the kernel is asked about a kind of target: in the root of all cgroups, and, for processes
 * that have counters of their own, in our own process. That a single target is refused shows when
 * it is opened.
 */
static struct scope scope_to_ask(const struct resolution_machine *machine,
                                 const struct target_class *class)
{
    const enum scope_kind kind = class->kind;
    struct scope scope = {.kind = kind,
                          .cgroup_fd = -1,
                          .cpus = machine->online,
                          .hybrid = pmu_list_if_hybrid(machine->pmus)};

    if (kind == SCOPE_SYSTEM)
        scope.cpus = class->pmu ? uncore_cpus(machine->pmus, class->pmu) : machine->system_cpus;
    if (kind == SCOPE_CGROUP)
        scope.cgroup_fd = machine->cgroup_root_fd;
    if (kind == SCOPE_PROCESS && !machine->is_shared[kind]) {
        scope.cpus = NULL;
        scope.tasks = &machine->self;
        scope.n_tasks = 1;
        scope.inherit = machine->inherits_threads ? INHERIT_THREADS : INHERIT_NOTHING;
    }
    return scope;
}

/* The chains of nested cgroups. NULL: nothing nests, as far as can be seen; or, where cgroups share
 * their counters, it makes no difference. */
static struct pmu_chains *read_chains(const struct resolution *resolution,
                                      const struct resolution_machine *machine)
{
    struct pmu_chains *chains = NULL;

    if (!machine->cgroup_rules || machine->cgroup_root_fd < 0 || machine->is_shared[SCOPE_CGROUP] ||
        cgroup_nesting_read(machine->cgroup_root_fd, machine->cgroup_rules,
                            resolution->config->n_cgroups, &chains) < 0)
        return NULL;
    return chains;
}

/*
 * False: it cannot be told how many are free, as in a pause, in which nothing may count. Where
 * nothing is granted for that it is sought again when the pause is over.
 */
static bool find_free(const struct resolution *resolution, const struct resolution_machine *machine,
                      const struct pmu_share *before, size_t *ret_free)
{
    if (before && (machine->is_paused || pmu_division_sum(&before->division) > 0)) {
        *ret_free = before->n_free;
        return before->is_measured;
    }
    return !machine->is_paused &&
           resolution_find_free(resolution, machine->perf, machine->online,
                                pmu_list_if_hybrid(machine->pmus), ret_free) >= 0;
}

static int decide_share(struct resolution *resolution, const struct resolution_machine *machine,
                        const struct pmu_share *before, struct pmu_share *ret_share)
{
    struct pmu_share share = {.is_wanted = resolution_wants_counters(resolution)};
    AUTO(pmu_chains) struct pmu_chains *chains = NULL;
    int r = 0;

    memcpy(share.is_shared, machine->is_shared, sizeof(share.is_shared));
    if (share.is_wanted) {
        share.is_measured = find_free(resolution, machine, before, &share.n_free);
        share.budget = resolution_budget(resolution->config, share.n_free);
        chains = read_chains(resolution, machine);
        r = resolution_divide(resolution, chains, &share);
    }
    if (r >= 0)
        *ret_share = share;
    return r;
}

int resolution_decide(struct resolution *resolution, const struct resolution_machine *machine,
                      const struct resolution_predecessor *predecessor, struct pmu_share *ret_share)
{
    int r = resolution_fall_back(resolution, machine);

    for (size_t i = 0; i < resolution->n_classes && r >= 0; i++) {
        const enum scope_kind kind = resolution->classes[i].kind;
        const struct scope scope = scope_to_ask(machine, &resolution->classes[i]);

        if (resolution_can_ask(resolution, machine, i))
            r = resolution_probe(resolution, i, machine->perf, &scope, &predecessor->open[kind]);
    }
    if (r >= 0)
        r = decide_share(resolution, machine, predecessor->share, ret_share);
    if (r >= 0)
        r = resolution_limit_charged(resolution, ret_share);
    return r < 0 ? r : resolution_make_catalogue(resolution);
}

/* Whether more counters are free than when some event was left out, and none of them is ours. */
static bool has_more_counters(const struct resolution *resolution,
                              const struct resolution_machine *machine,
                              const struct pmu_share *share)
{
    size_t n_free;

    return share->is_wanted && pmu_division_sum(&share->division) == 0 && !machine->is_paused &&
           resolution_find_free(resolution, machine->perf, machine->online,
                                pmu_list_if_hybrid(machine->pmus), &n_free) >= 0 &&
           resolution_budget(resolution->config, n_free) > share->budget;
}

bool resolution_is_outdated(struct resolution *resolution, const struct resolution_machine *machine,
                            const struct pmu_share *share)
{
    bool can_grow = false;

    for (size_t i = 0; i < resolution->n_classes; i++) {
        const struct target_class *class = &resolution->classes[i];
        const struct scope scope = scope_to_ask(machine, class);

        if (resolution_can_ask(resolution, machine, i) &&
            (class->unsure || event_groups_want_retry(class->groups)) &&
            resolution_can_grow(resolution, i, machine->perf, &scope) > 0)
            can_grow = true;
    }
    return can_grow || has_more_counters(resolution, machine, share);
}
