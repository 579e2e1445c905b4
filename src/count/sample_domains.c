/* SPDX-License-Identifier: Apache-2.0 */
#include "count/sample_domains.h"

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

int sample_tell_domains(struct sample *sample, const struct event_groups *groups,
                        const struct cpu_domains *domains)
{
    const size_t n = cpu_domains_end(domains);
    struct sample_domains *of_sample = calloc(1, sizeof(*of_sample) + n * sizeof(*of_sample->of));

    if (!of_sample)
        return -ENOMEM;
    of_sample->domains = domains;
    of_sample->n = n;
    of_sample->of = (struct domain_sample *)(of_sample + 1);
    for (enum cpu_count count = 0; count < CPU_COUNTS_; count++)
        of_sample->sources[count] = cpu_count_find(groups, count);
    sample->domains = of_sample;
    return 0;
}

struct sample_domains *sample_domains_free(struct sample_domains *of_sample)
{
    free(of_sample);
    return NULL;
}

struct domain_sample *sample_domain_of_cpu(struct sample_domains *of_sample, struct cpu_number cpu)
{
    const struct cpu_domains *domains = of_sample->domains;

    if ((size_t)cpu.value >= domains->n_of || domains->of[cpu.value] < 0)
        return NULL;
    return &of_sample->of[domains->of[cpu.value]];
}

void sample_domains_clear(struct sample_domains *of_sample)
{
    memset(of_sample->of, 0, of_sample->n * sizeof(*of_sample->of));
}

void sample_domains_add(struct sample_domains *sum, const struct sample_domains *part)
{
    for (size_t i = 0; i < sum->n && i < part->n; i++)
        for (enum cpu_count count = 0; count < CPU_COUNTS_; count++) {
            sum->of[i].counted[count] |= part->of[i].counted[count];
            sum->of[i].counts[count] += part->of[i].counts[count];
        }
}
