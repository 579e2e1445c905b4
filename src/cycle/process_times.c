/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/process_times.h"

#include <stdlib.h>

#include "count/counter_set.h"

static void add_member(const struct process_member *member, const struct cpu_list *cpus,
                       uint64_t *sum_ns)
{
    for (size_t i = 0; i < member->n_counters; i++)
        counter_set_sum_ran(member->counters[i].set, cpus, sum_ns);
}

/* CPUs are in ascending order in both lists. */
static void add_past(const struct past_times *past, const struct cpu_list *cpus, uint64_t *sum_ns)
{
    size_t k = 0;

    for (size_t i = 0; i < cpus->n; i++) {
        while (k < past->cpus->n && past->cpus->cpus[k].value < cpus->cpus[i].value)
            k++;
        if (k < past->cpus->n && past->cpus->cpus[k].value == cpus->cpus[i].value)
            sum_ns[i] += past->ran_ns[k];
    }
}

/* What all that were ever members have run on these CPUs. NULL: it is not known. */
static uint64_t *sum_of(const struct process_group *group, const struct cpu_list *cpus)
{
    uint64_t *sum_ns = group->past.is_lost ? NULL : calloc(cpus->n + 1, sizeof(*sum_ns));

    for (const struct process_member *member = group->members; member && sum_ns;
         member = member->next)
        add_member(member, cpus, sum_ns);
    if (sum_ns && group->past.ran_ns)
        add_past(&group->past, cpus, sum_ns);
    return sum_ns;
}

static void set_past(struct process_group *group, const struct cpu_list *cpus, uint64_t *ran_ns)
{
    free(group->past.ran_ns);
    group->past = (struct past_times){.cpus = cpus, .ran_ns = ran_ns, .is_lost = !ran_ns};
}

void process_times_keep(struct process_group *group, const struct process_member *member)
{
    for (size_t i = 0; i < member->n_counters; i++) {
        const struct scope *scope = counter_set_scope(member->counters[i].set);

        if (scope_is_of_threads(scope) || group->past.is_lost)
            continue;
        if (!group->past.ran_ns)
            set_past(group, scope->cpus, calloc(scope->cpus->n + 1, sizeof(uint64_t)));
        if (group->past.ran_ns)
            counter_set_sum_ran(member->counters[i].set, group->past.cpus, group->past.ran_ns);
    }
}

void process_times_adopt(struct process_group *group, const struct process_group *from,
                         const struct cpu_list *cpus)
{
    AUTO_FREE uint64_t *own_ns = sum_of(group, cpus);
    uint64_t *past_ns = own_ns ? sum_of(from, cpus) : NULL;

    for (size_t i = 0; i < cpus->n && past_ns; i++)
        past_ns[i] = past_ns[i] > own_ns[i] ? past_ns[i] - own_ns[i] : 0;
    set_past(group, cpus, past_ns);
}

void process_times_read(const struct process_group *group, const struct cpu_list *cpus,
                        uint64_t *ran_ns)
{
    AUTO_FREE uint64_t *sum_ns = sum_of(group, cpus);

    if (!sum_ns)
        return;
    for (const struct process_member *member = group->members; member; member = member->next)
        for (size_t i = 0; i < member->n_counters; i++)
            counter_set_add_ran(member->counters[i].set, cpus, ran_ns);
    for (size_t i = 0; i < cpus->n; i++)
        if (ran_ns[i] != UINT64_MAX || (!group->members && group->past.ran_ns))
            ran_ns[i] = sum_ns[i];
}
