/* SPDX-License-Identifier: Apache-2.0 */
#include "count/sample_cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/sample.h"

static bool is_whole(const struct event_code *code)
{
    return !code->exclude_user && !code->exclude_kernel && !code->exclude_hypervisor &&
           !code->exclude_host && !code->exclude_guest && !code->exclude_idle;
}

static bool is_switches(const struct event_code *code)
{
    return code->type == PERF_TYPE_SOFTWARE && code->config == PERF_COUNT_SW_CONTEXT_SWITCHES;
}

static bool is_source(const struct event *event, enum cpu_count count)
{
    if (!is_whole(&event->code))
        return false;
    return count == CPU_COUNT_TIME ? event->is_clock : is_switches(&event->code);
}

struct cpu_count_source cpu_count_find(const struct event_groups *groups, enum cpu_count count)
{
    for (size_t g = 0; g < groups->n_groups; g++) {
        const struct event_group *group = &groups->groups[g];

        for (size_t i = 0; i < group->n_members; i++)
            if (group->members[i].absence == ABSENCE_NONE &&
                is_source(group->members[i].event, count))
                return (struct cpu_count_source){group->members[i].event, g, group->first + i};
    }
    return (struct cpu_count_source){0};
}

int sample_tell_cpus(struct sample *sample, const struct event_groups *groups, size_t n)
{
    struct sample_cpus *cpus = calloc(1, sizeof(*cpus) + n * sizeof(*cpus->of));

    if (!cpus)
        return -ENOMEM;
    cpus->n = n;
    cpus->of = (struct cpu_sample *)(cpus + 1);
    for (enum cpu_count count = 0; count < CPU_COUNTS_; count++)
        cpus->sources[count] = cpu_count_find(groups, count);
    sample->cpus = cpus;
    return 0;
}

struct sample_cpus *sample_cpus_free(struct sample_cpus *cpus)
{
    free(cpus);
    return NULL;
}

void sample_cpus_clear(struct sample_cpus *cpus)
{
    memset(cpus->of, 0, cpus->n * sizeof(*cpus->of));
}

void sample_cpus_add(struct sample_cpus *sum, const struct sample_cpus *part)
{
    for (size_t i = 0; i < sum->n && i < part->n; i++)
        for (enum cpu_count count = 0; count < CPU_COUNTS_; count++) {
            sum->of[i].counted[count] |= part->of[i].counted[count];
            sum->of[i].counts[count] += part->of[i].counts[count];
        }
}
