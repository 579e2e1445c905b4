/* SPDX-License-Identifier: Apache-2.0 */

/* Whatever the text: a configuration, or one clean line that says where it is wrong. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/config_processes.h"
#include "fuzz/fuzz.h"

static void check_words(const struct config_words *words)
{
    for (size_t i = 0; i < words->n; i++)
        FUZZ_CHECK(words->words[i].text && words->words[i].text[0]);
}

static void check_processes(const struct config *config)
{
    AUTO(process_rules) struct process_rules *rules = NULL;
    struct process_rule_error error;
    size_t index;

    for (size_t i = 0; i < config->n_processes; i++) {
        const struct config_process_rule *rule = &config->processes[i];

        FUZZ_CHECK(rule->comm.n + rule->exe.n + rule->cmdline.n + rule->pid.n > 0);
        FUZZ_CHECK(rule->groups.n > 0);
        check_words(&rule->comm);
        check_words(&rule->exe);
        check_words(&rule->cmdline);
        check_words(&rule->groups);
    }
    FUZZ_CHECK(config_processes_make(config, &rules, &index, &error) == 0);
}

static void check_events(const struct config_group *group)
{
    for (size_t i = 0; i < group->n_events; i++) {
        const struct config_event *event = &group->events[i];

        FUZZ_CHECK(event->event.text && event->event.text[0]);
        FUZZ_CHECK(!event->filter.text || event->filter.text[0]);
        FUZZ_CHECK(!event->name.text || event->name.text[0]);
    }
}

static void check_config(const struct config *config)
{
    for (size_t i = 0; i < config->n_groups; i++) {
        FUZZ_CHECK(config->groups[i].name.text);
        FUZZ_CHECK(config->groups[i].n_events > 0);
        check_events(&config->groups[i]);
    }
    FUZZ_CHECK(!config->system.enabled || config->system.groups.n > 0);
    check_words(&config->system.groups);
    for (size_t i = 0; i < config->n_cgroups; i++) {
        FUZZ_CHECK(config->cgroups[i].include.n > 0 && config->cgroups[i].groups.n > 0);
        check_words(&config->cgroups[i].include);
        check_words(&config->cgroups[i].exclude);
        check_words(&config->cgroups[i].groups);
    }
    check_processes(config);
    for (size_t i = 0; i < config->n_renames; i++)
        FUZZ_CHECK(config->renames[i].event.text && config->renames[i].name.text);
    for (size_t i = 0; i < config->n_ratios; i++)
        FUZZ_CHECK(config->ratios[i].name.text && config->ratios[i].formula.text);
}

static void check_error(const struct config_error *error)
{
    FUZZ_CHECK(error->place.line > 0 && error->place.column > 0);
    FUZZ_CHECK(error->message[0]);
    for (const char *c = error->message; *c; c++)
        FUZZ_CHECK((unsigned char)*c >= ' ' && *c != '\x7f');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config_error error = {0};
    struct config *config = NULL;
    int r = config_parse((const char *)data, size, &config, &error);

    FUZZ_CHECK(r == 0 || r == -EINVAL);
    if (r == 0)
        check_config(config);
    else
        check_error(&error);
    (void)config_free(config);
    return 0;
}
