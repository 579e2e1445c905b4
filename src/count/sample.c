/* SPDX-License-Identifier: Apache-2.0 */
#include "count/sample.h"

#include <string.h>

struct sample *sample_new(const struct event_groups *groups)
{
    size_t events_size = groups->n_events * sizeof(struct event_sample);
    size_t groups_size = groups->n_groups * sizeof(struct group_sample);
    struct sample *sample = calloc(1, sizeof(*sample) + events_size + groups_size);

    if (!sample)
        return NULL;
    sample->n_events = groups->n_events;
    sample->n_groups = groups->n_groups;
    sample->groups = (struct group_sample *)(sample + 1);
    sample->events = (struct event_sample *)(sample->groups + sample->n_groups);
    return sample;
}

struct sample *sample_free(struct sample *sample)
{
    if (!sample)
        return NULL;
    (void)sample_domains_free(sample->domains);
    breakdowns_clear(&sample->breakdowns);
    free(sample);
    return NULL;
}

void sample_clear(struct sample *sample)
{
    sample->doubt = (struct sample_doubt){0};
    if (sample->has_latencies)
        sample->latencies = (struct latencies){0};
    sample->has_latencies = false;
    if (sample->domains)
        sample_domains_clear(sample->domains);
    breakdowns_clear(&sample->breakdowns);
    memset(sample->groups, 0, sample->n_groups * sizeof(*sample->groups));
    memset(sample->events, 0, sample->n_events * sizeof(*sample->events));
}

bool sample_has_counted(const struct sample *sample)
{
    for (size_t i = 0; i < sample->n_groups; i++)
        if (sample->groups[i].counted)
            return true;
    return false;
}

bool sample_has_run(const struct sample *sample)
{
    for (size_t i = 0; i < sample->n_groups; i++)
        if (sample->groups[i].ran)
            return true;
    return false;
}

void sample_add(struct sample *sum, const struct sample *part, bool begins)
{
    sum->doubt.doubtful_ns += part->doubt.doubtful_ns;
    sum->doubt.ran_ns += part->doubt.ran_ns;
    sum->has_latencies |= part->has_latencies;
    if (part->has_latencies)
        latencies_add(&sum->latencies, &part->latencies);
    if (sum->domains && part->domains)
        sample_domains_add(sum->domains, part->domains);
    (void)breakdowns_add(&sum->breakdowns, &part->breakdowns); /* else they are lost */
    for (size_t i = 0; i < sum->n_groups; i++) {
        sum->groups[i].counted |= part->groups[i].counted;
        sum->groups[i].ran |= part->groups[i].ran;
        sum->groups[i].starved |= part->groups[i].starved;
        sum->groups[i].unknown |= part->groups[i].unknown && !begins;
        sum->groups[i].enabled += part->groups[i].enabled;
        sum->groups[i].running += part->groups[i].running;
    }
    for (size_t i = 0; i < sum->n_events; i++) {
        sum->events[i].count += part->events[i].count;
        sum->events[i].exact += part->events[i].exact;
        sum->events[i].per_second += part->events[i].per_second;
    }
}
