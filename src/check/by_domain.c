/* SPDX-License-Identifier: Apache-2.0 */
#include "check/by_domain.h"

#include "check/class_rule.h"

static size_t count_shown(const struct event_groups *groups)
{
    size_t n = 0;

    for (enum cpu_count count = 0; count < CPU_COUNTS_; count++)
        n += cpu_count_find(groups, count).event != NULL;
    return n;
}

static void print_rule(struct check_output *output, const struct class_rule *rule,
                       const struct target_class *class)
{
    const struct config_place place = rule->groups->words[0].place;
    const char *by = class->by == CONFIG_BY_CPU ? "cpu" : "node";
    const size_t n_shown = count_shown(class->groups);

    if (!class->spec.domains)
        check_note(output, place, "note",
                   "by: %s of rule %zu of targets.%s shows nothing here: processes are "
                   "counted in threads, by direct, and only bpf knows on which CPUs they run",
                   by, rule->index + 1, rule->what);
    else if (n_shown == 0)
        check_note(output, place, "note",
                   "by: %s of rule %zu of targets.%s shows nothing: its groups count neither "
                   "task-clock nor cpu-clock nor context-switches here",
                   by, rule->index + 1, rule->what);
    else
        check_say(output, "by %s: rule %zu of targets.%s: %zu series more for each target\n", by,
                  rule->index + 1, rule->what, n_shown * class->spec.domains->n);
}

void check_print_by_domain(struct check_output *output, const struct resolution *resolution)
{
    for (size_t i = CLASS_CGROUP; i < resolution->first_uncore; i++) {
        const struct target_class *class = &resolution->classes[i];
        const struct class_rule rule = class_rule_of(resolution, i);

        if (class->by != CONFIG_BY_ALL)
            print_rule(output, &rule, class);
    }
}
