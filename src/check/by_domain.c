/* SPDX-License-Identifier: Apache-2.0 */
#include "check/by_domain.h"

#include "check/class_rule.h"
#include "count/mechanism.h"
#include "resolve/resolution_decide.h"

static size_t count_shown(const struct event_groups *groups)
{
    size_t n = 0;

    for (enum cpu_count count = 0; count < CPU_COUNTS_; count++)
        n += cpu_count_find(groups, count).event != NULL;
    return n;
}

static void print_rule(struct check_output *output, const struct class_rule *rule, size_t n_shown,
                       bool has_cpus, const struct cpu_domains *domains)
{
    const struct config_place place = rule->groups->words[0].place;

    if (!has_cpus)
        check_note(output, place, "note",
                   "by: %s of rule %zu of targets.processes shows nothing here: processes are "
                   "counted in threads, by direct, and only bpf knows on which CPUs they run",
                   domains->label, rule->index + 1);
    else if (n_shown == 0)
        check_note(output, place, "note",
                   "by: %s of rule %zu of targets.%s shows nothing: its groups count neither "
                   "task-clock nor cpu-clock nor context-switches here",
                   domains->label, rule->index + 1, rule->what);
    else
        check_say(output, "by %s: rule %zu of targets.%s: %zu series more for each target\n",
                  domains->label, rule->index + 1, rule->what, n_shown * domains->n);
}

int check_plan_by_domain(struct resolution *resolution, const struct mechanism *bpf,
                         const struct cpu_list *online, int sysfs_fd, struct check_domains *domains)
{
    int r = 0;

    for (size_t i = 0; i < resolution->n_classes && r >= 0; i++) {
        struct target_class *class = &resolution->classes[i];

        if (class->by == CONFIG_BY_ALL ||
            (class->kind == SCOPE_PROCESS && !mechanism_is_shared(bpf, SCOPE_PROCESS)))
            continue;
        if (!domains->by[class->by])
            r = resolution_domains(class->by, online, sysfs_fd, &domains->by[class->by]);
        class->spec.domains = domains->by[class->by];
    }
    return r;
}

void check_domains_done(struct check_domains *domains)
{
    for (enum config_by by = 0; by < CONFIG_BYS_; by++)
        domains->by[by] = cpu_domains_free(domains->by[by]);
}

void check_print_by_domain(struct check_output *output, const struct resolution *resolution,
                           const struct mechanism_choice *choice, const struct cpu_list *online,
                           int sysfs_fd)
{
    for (size_t i = CLASS_CGROUP; i < resolution->first_uncore; i++) {
        AUTO(cpu_domains) struct cpu_domains *domains = NULL;
        const struct target_class *class = &resolution->classes[i];
        const struct class_rule rule = class_rule_of(resolution, i);
        const bool has_cpus =
            class->kind != SCOPE_PROCESS || mechanism_is_shared(choice->bpf, SCOPE_PROCESS);

        if (class->by != CONFIG_BY_ALL &&
            resolution_domains(class->by, online, sysfs_fd, &domains) >= 0)
            print_rule(output, &rule, count_shown(class->groups), has_cpus, domains);
    }
}
