/* SPDX-License-Identifier: Apache-2.0 */
#include "check/uncore.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "config/config_error.h"
#include "metric/formula.h"
#include "resolve/uncore.h"

static const struct config_group *find_group(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->n_groups; i++)
        if (strcmp(config->groups[i].name.text, name) == 0)
            return &config->groups[i];
    return NULL;
}

/* The names of the group's uncore events, each behind a space. 0 or -ENOMEM. */
static int list_uncore(const struct resolution *resolution, const struct config_word *group,
                       struct text *names)
{
    const struct config_group *found = find_group(resolution->config, group->text);
    const struct event **list = NULL;
    const size_t n = found ? resolution_group_events(resolution, found, &list) : 0;
    AUTO_FREE const struct event **events = list;

    if (found && !events)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (events[i]->is_uncore)
            text_append_format(names, " %s", events[i]->name);
    text_append_char(names, '\0');
    return text_error(names);
}

/* Notes the uncore events of the groups that a rule names. 0 or -ENOMEM. */
static int note_groups(struct check_output *output, const struct resolution *resolution,
                       const struct config_words *groups, const char *targets)
{
    for (size_t i = 0; i < groups->n; i++) {
        AUTO_TEXT struct text names = {0};
        int r = list_uncore(resolution, &groups->words[i], &names);

        if (r < 0)
            return r;
        if (!*names.data)
            continue;
        check_note(output, groups->words[i].place, "note",
                   "group %s is left out for %s, not_supported, as far as it counts a whole "
                   "socket, whoever runs:%s; targets.system counts that",
                   SHOWN(groups->words[i].text), targets, names.data);
    }
    return 0;
}

/* Whether a formula compares an uncore event with one of another PMU. */
static bool mixes_pmus(const struct resolution *resolution, const struct formula *formula)
{
    const struct event *first = NULL;

    for (size_t i = 0; i < resolution->n_events; i++) {
        const struct event *event = resolution->events[i];

        if (!formula_uses(formula, i))
            continue;
        if (!first)
            first = event;
        if (event->is_uncore != first->is_uncore ||
            (event->is_uncore && strcmp(event->pmu, first->pmu) != 0))
            return true;
    }
    return false;
}

static int note_ratios(struct check_output *output, const struct resolution *resolution)
{
    const struct config *config = resolution->config;
    AUTO_FREE const char **names = calloc(resolution->n_events + 1, sizeof(*names));

    if (!names)
        return -ENOMEM;
    for (size_t i = 0; i < resolution->n_events; i++)
        names[i] = resolution->events[i]->name;
    for (size_t i = 0; i < config->n_ratios; i++) {
        const struct config_ratio *ratio = &config->ratios[i];
        AUTO(formula) struct formula *formula = NULL;
        struct formula_error error;
        int r = formula_parse(ratio->formula.text, names, resolution->n_events, &formula, &error);

        if (r == -ENOMEM)
            return r;
        if (r < 0 || !mixes_pmus(resolution, formula))
            continue;
        check_note(output, ratio->name.place, "note",
                   "ratio %s compares events of several PMUs, which the kernel cannot count "
                   "together: it is not shown",
                   SHOWN(ratio->name.text));
    }
    return 0;
}

int check_note_uncore(struct check_output *output, const struct resolution *resolution)
{
    const struct config *config = resolution->config;
    int r = 0;

    for (size_t i = 0; i < config->n_cgroups && r >= 0; i++)
        r = note_groups(output, resolution, &config->cgroups[i].groups, "cgroups");
    for (size_t i = 0; i < config->n_processes && r >= 0; i++)
        r = note_groups(output, resolution, &config->processes[i].groups, "processes");
    return r < 0 ? r : note_ratios(output, resolution);
}

/* How many sockets and instances the places are of. They are ordered by socket. */
static void count_places(const struct uncore_places *places, size_t *ret_sockets,
                         size_t *ret_instances)
{
    size_t n_sockets = 0, n_instances = 0;

    for (size_t i = 0; i < places->n; i++) {
        bool is_first = true;

        n_sockets += i == 0 || places->places[i].socket != places->places[i - 1].socket;
        for (size_t j = 0; j < i; j++)
            is_first = is_first && places->places[j].type != places->places[i].type;
        n_instances += is_first;
    }
    *ret_sockets = n_sockets;
    *ret_instances = n_instances;
}

int check_each_uncore(const struct resolution *resolution, int sysfs_fd,
                      void (*visit)(void *object, const struct check_uncore *uncore), void *object)
{
    AUTO(pmu_list) struct pmu_list *pmus = NULL;
    int r = pmu_list_read(sysfs_fd, &pmus);

    for (size_t i = resolution->first_uncore; i < resolution->n_classes && r != -ENOMEM; i++) {
        const struct target_class *class = &resolution->classes[i];
        AUTO_FREE struct uncore_places *places = NULL;
        struct check_uncore uncore = {.pmu = class->pmu, .n_events = class->groups->n_opened};

        r = uncore_places_read(sysfs_fd, pmus, class->pmu, &places);
        if (r < 0)
            return r;
        count_places(places, &uncore.n_sockets, &uncore.n_instances);
        uncore.n_counters = places->n * uncore.n_events;
        visit(object, &uncore);
    }
    return r == -ENOMEM ? r : 0;
}

static void print(void *object, const struct check_uncore *uncore)
{
    (void)object;
    (void)printf("beyond the cores: PMU %s, events: %zu, instances: %zu, sockets: %zu, counters: "
                 "%zu; those of the cores are not touched\n",
                 uncore->pmu, uncore->n_events, uncore->n_instances, uncore->n_sockets,
                 uncore->n_counters);
}

void check_print_uncore(const struct resolution *resolution, int sysfs_fd)
{
    (void)check_each_uncore(resolution, sysfs_fd, print, NULL);
}
