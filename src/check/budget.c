/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The same arithmetic as the collector's. The kernel is asked system-wide only: what
 * the PMU can count there it can count for cgroups and processes.
 */
#include "check/budget.h"

#include <errno.h>
#include <stdio.h>

#include "base/text.h"
#include "config/config_cgroups.h"
#include "resolve/resolution_budget.h"
#include "target/cgroup_nesting.h"

static int ask_kernel(struct resolution *resolution, const struct perf_ops *ops,
                      const struct cpu_list *cpus)
{
    const struct scope scope = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = cpus};
    const struct open_groups none = {0};
    int r = 0;

    for (size_t i = 0; i < resolution->n_classes && r >= 0; i++)
        if (resolution->classes[i].groups)
            r = resolution_probe(resolution, i, ops, &scope, &none);
    return r;
}

/* NULL: nothing nests, as far as can be seen. */
static struct pmu_chains *read_chains(const struct config *config, int cgroup_root_fd)
{
    AUTO(cgroup_rules) struct cgroup_rules *rules = NULL;
    struct pmu_chains *chains = NULL;

    if (config->n_cgroups == 0 || cgroup_root_fd < 0 || config_cgroups_make(config, &rules) < 0 ||
        cgroup_nesting_read(cgroup_root_fd, rules, config->n_cgroups, &chains) < 0)
        return NULL;
    return chains;
}

static void print_share(const struct config *config, const struct pmu_share *share)
{
    const struct pmu_division *division = &share->division;

    if (share->is_measured)
        (void)printf("hardware counters of each CPU: %zu free now", share->n_free);
    else
        (void)printf("hardware counters of each CPU: how many are free cannot be told now");
    if (config->limits.pmu_counters == CONFIG_ALL_COUNTERS)
        (void)printf("; limits.pmu_counters is all: beyond those the kernel gives turns, and who "
                     "counts tasks has what is left\n");
    else
        (void)printf(", %zu ours to use (limits.pmu_counters%s)\n", share->budget,
                     config->limits.pmu_counters ? "" : ": auto, half");
    (void)printf("  processes %zu + nested cgroups %zu + system %zu = %zu in use at once\n",
                 division->processes, division->cgroups, division->system,
                 pmu_division_sum(division));
}

static void list_left_out(const struct event_group *group, struct text *names)
{
    for (size_t i = 0; i < group->n_members; i++)
        if (group->members[i].absence == ABSENCE_OVER_BUDGET) {
            text_append_char(names, ' ');
            text_append_string(names, group->members[i].event->name);
        }
    text_append_char(names, '\0');
}

static void print_class(const struct target_class *class, size_t rule)
{
    const char *scope = scope_kind_name(class->groups->kind);

    for (size_t g = 0; g < class->groups->n_groups; g++) {
        const struct event_group *group = &class->groups->groups[g];
        AUTO_TEXT struct text names = {0};

        list_left_out(group, &names);
        if (text_error(&names) < 0 || !*names.data)
            continue;
        if (class->groups->kind == SCOPE_SYSTEM)
            (void)printf("  left out: %s, group %s:%s\n", scope, group->name, names.data);
        else
            (void)printf("  left out: %s rule %zu, group %s:%s\n", scope, rule, group->name,
                         names.data);
    }
}

static void print_classes(const struct resolution *resolution)
{
    size_t n_of_kind[SCOPE_KIND_COUNT_] = {0};

    for (size_t i = 0; i < resolution->n_classes; i++)
        if (resolution->classes[i].groups)
            print_class(&resolution->classes[i], ++n_of_kind[resolution->classes[i].groups->kind]);
}

int budget_report(const struct config *config, struct event_resolver *resolver,
                  const struct perf_ops *ops, int sysfs_fd, int cgroup_root_fd, bool is_shared)
{
    AUTO(resolution) struct resolution *resolution = NULL;
    AUTO(cpu_list) struct cpu_list *online = NULL;
    AUTO(pmu_chains) struct pmu_chains *chains = NULL;
    struct pmu_share share = {.is_wanted = true,
                              .is_shared[SCOPE_CGROUP] = is_shared,
                              .is_shared[SCOPE_PROCESS] = is_shared,
                              .is_shared[SCOPE_SYSTEM] = is_shared};
    int r = resolution_new(config, resolver, &resolution);

    if (r < 0 || !resolution_wants_counters(resolution))
        return r;
    r = cpu_list_read_online(sysfs_fd, &online);
    if (r >= 0)
        r = ask_kernel(resolution, ops, online);
    if (r < 0 || !resolution_wants_counters(resolution))
        return r;
    share.is_measured = resolution_find_free(resolution, ops, online, &share.n_free) >= 0;
    share.budget = resolution_budget(config, share.n_free);
    chains = read_chains(config, cgroup_root_fd);
    r = resolution_divide(resolution, chains, &share);
    if (r < 0)
        return r;
    print_share(config, &share);
    print_classes(resolution);
    return 0;
}
