/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/stat/wanted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/config_error.h"
#include "config/config_probes.h"
#include "service/options.h"

/* What perf stat counts where no event is named. */
static const char *const default_events[] = {
    "task-clock", "context-switches", "cpu-migrations", "page-faults",
    "cycles",     "instructions",     "branches",       "branch-misses",
};

static int add_defaults(struct event_name_list *list)
{
    int r = 0;

    for (size_t i = 0; i < ARRAY_SIZE(default_events) && r == 0; i++)
        r = event_names_add(list, default_events[i]);
    return r;
}

static const struct config_group *find_group(const struct config *config, const char *name)
{
    for (size_t i = 0; i < config->n_groups; i++)
        if (strcmp(config->groups[i].name.text, name) == 0)
            return &config->groups[i];
    return NULL;
}

static int refuse_group(const struct config *config, const char *name, struct text *message)
{
    text_append_format(message, "no group %s in the configuration; expected", SHOWN(name));
    for (size_t i = 0; i < config->n_groups; i++)
        text_append_format(message, "%s %s", i ? "," : "", config->groups[i].name.text);
    return -EINVAL;
}

static int add_group(struct event_name_list *list, const struct config_group *group)
{
    int r = event_names_begin(list, true);

    for (size_t i = 0; i < group->n_events && r == 0; i++) {
        r = event_names_append(list, group->events[i].event.text);
        if (r == 0 && group->events[i].filter.text)
            r = event_names_set_filter(list, group->events[i].filter.text);
    }
    return r;
}

/* Reads the configuration of -g and --config.file. 0; -EINVAL with the message; or -ENOMEM. */
static int load_config(const struct stat_options *options, struct config **ret_config,
                       struct text *message)
{
    const char *path = options->config_file ? options->config_file : DEFAULT_CONFIG_FILE;
    AUTO(object_reader) struct object_reader *reader = NULL;
    struct config_writers writers;
    struct config_error error;
    int r = config_reader_new("config", &reader);

    if (r >= 0)
        r = config_load(reader, path, !options->config_file, ret_config, &writers, &error);
    if (r < 0) {
        config_describe_failure(path, r, &error, message);
        while (message->length > 0 && message->data[message->length - 1] == '\n')
            message->length--;
        return -EINVAL;
    }
    return 0;
}

/* Adds the groups of -g. */
static int add_configured(const struct stat_options *options, const struct config *config,
                          struct event_name_list *list, struct text *message)
{
    int r = 0;

    for (size_t i = 0; i < options->n_group_names && r == 0; i++) {
        const struct config_group *group = find_group(config, options->group_names[i]);

        r = group ? add_group(list, group) : refuse_group(config, options->group_names[i], message);
    }
    return r;
}

/* config: NULL where none is wanted. */
static int find_all(struct event_resolver *resolver, const struct stat_options *options,
                    const struct config *config, struct stat_wanted *wanted, struct text *message)
{
    struct event_name_list more = {0};
    int r = 0;

    if (options->n_group_names > 0)
        r = add_configured(options, config, &more, message);
    else if (options->words.n == 0)
        r = add_defaults(&more);
    if (r == 0)
        r = run_events_find(resolver, &options->words, &wanted->events, message);
    if (r == 0)
        r = run_events_find(resolver, &more, &wanted->events, message);
    event_names_done(&more);
    return r;
}

static int copy_ratios(const struct config *config, struct stat_wanted *wanted)
{
    wanted->ratios = calloc(config->n_ratios + 1, sizeof(*wanted->ratios));
    if (!wanted->ratios)
        return -ENOMEM;
    for (size_t i = 0; i < config->n_ratios; i++) {
        struct stat_ratio *ratio = &wanted->ratios[wanted->n_ratios++];

        ratio->name = strdup(config->ratios[i].name.text);
        ratio->formula = strdup(config->ratios[i].formula.text);
        if (!ratio->name || !ratio->formula)
            return -ENOMEM;
    }
    return 0;
}

int stat_wanted_find(struct event_resolver *resolver, const struct stat_options *options,
                     struct stat_wanted *ret_wanted, struct text *ret_message)
{
    AUTO(config) struct config *config = NULL;
    AUTO(object_reader) struct object_reader *reader = NULL;
    AUTO_FREE struct probe_spec *probes = NULL;
    int r = 0;

    *ret_wanted = (struct stat_wanted){0};
    if (options->n_group_names > 0 || options->config_file)
        r = load_config(options, &config, ret_message);
    if (r == 0 && config)
        r = config_probes_make(config, &probes);
    if (r < 0)
        return r;
    if (config && config->n_probes > 0) {
        (void)probe_reader_new(&reader);
        event_resolver_set_reader(resolver, reader);
        event_resolver_set_probes(resolver, probes, config->n_probes);
    }
    r = find_all(resolver, options, config, ret_wanted, ret_message);
    event_resolver_set_probes(resolver, NULL, 0); /* they end with the configuration */
    event_resolver_set_reader(resolver, NULL);
    if (r == 0 && options->n_group_names > 0)
        r = copy_ratios(config, ret_wanted);
    return r;
}

void stat_wanted_done(struct stat_wanted *wanted)
{
    run_events_done(&wanted->events);
    for (size_t i = 0; i < wanted->n_ratios; i++) {
        free(wanted->ratios[i].name);
        free(wanted->ratios[i].formula);
    }
    free(wanted->ratios);
    *wanted = (struct stat_wanted){0};
}
