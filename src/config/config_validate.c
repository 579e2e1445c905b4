/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config_validate.h"

#include <errno.h>
#include <string.h>

#include "config/config_error.h"
#include "config/config_event.h"
#include "config/config_processes.h"
#include "config/yaml_reader.h"
#include "event/expansion.h"
#include "event/resolver.h"
#include "sys/cpu_list.h"
#include "target/glob.h"

static bool is_group_name(const char *name)
{
    return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789_.-")] == '\0';
}

static const struct config_word *find_word(const struct config_words *words, size_t n,
                                           const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(words->words[i].text, text) == 0)
            return &words->words[i];
    return NULL;
}

/* Refuses a word that is listed twice. what: "event", "group". */
static int check_once(const struct config_words *words, const char *what,
                      struct config_error *ret_error)
{
    for (size_t i = 1; i < words->n; i++) {
        const struct config_word *word = &words->words[i];
        const struct config_word *first = find_word(words, i, word->text);

        if (first)
            return config_error_set(
                ret_error, word->place, "duplicate %s %s; expected it once, the first is at %u:%u",
                what, SHOWN(word->text), first->place.line, first->place.column);
    }
    return 0;
}

static const struct config_group *find_group(const struct config *config, size_t n,
                                             const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(config->groups[i].name.text, name) == 0)
            return &config->groups[i];
    return NULL;
}

static bool is_wildcard(const char *name)
{
    return strpbrk(name, EVENT_WILDCARDS);
}

/*
 * A modifier of perf that we do not take is wrong on every machine. What is no modifier at all may
 * still be meant for another source of names, and is told by the checks.
 */
static int check_modifiers(const struct config_word *event, struct config_error *ret_error)
{
    struct event_bad_modifier bad;
    int r = event_resolver_bad_modifier(event->text, &bad);

    if (r < 0 || !bad.text || !bad.reason)
        return r;
    return config_error_set(ret_error, event->place, "modifier \"%c\" of event %s %s; expected %s",
                            bad.letter, SHOWN(event->text), bad.reason, event_modifiers_expected);
}

/* A filter and a name are those of one event. */
static int check_event(const struct config_event *event, struct config_error *ret_error)
{
    const struct config_word *wrong = event->filter.text ? &event->filter : &event->name;

    if (wrong->text && is_wildcard(event->event.text))
        return config_error_set(ret_error, wrong->place,
                                "%s stands for several events; expected a \"%s\" for one event",
                                SHOWN(event->event.text), event->filter.text ? "filter" : "name");
    return 0;
}

static const struct config_word *find_event(const struct config_group *group, size_t n,
                                            const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(config_event_name(&group->events[i])->text, name) == 0)
            return config_event_name(&group->events[i]);
    return NULL;
}

static int check_events(const struct config_group *group, struct config_error *ret_error)
{
    for (size_t i = 0; i < group->n_events; i++) {
        const struct config_word *name = config_event_name(&group->events[i]);
        const struct config_word *first = find_event(group, i, name->text);
        int r = check_event(&group->events[i], ret_error);

        if (r == 0)
            r = check_modifiers(&group->events[i].event, ret_error);
        if (r < 0)
            return r;
        if (first)
            return config_error_set(
                ret_error, name->place,
                "duplicate event %s; expected it once%s, the first is at %u:%u", SHOWN(name->text),
                group->events[i].filter.text ? ", or with a \"name\" of its own" : "",
                first->place.line, first->place.column);
    }
    return 0;
}

static int check_groups(const struct config *config, struct config_error *ret_error)
{
    for (size_t i = 0; i < config->n_groups; i++) {
        const struct config_word *name = &config->groups[i].name;
        const struct config_group *first = find_group(config, i, name->text);
        int r;

        if (!is_group_name(name->text))
            return config_error_set(ret_error, name->place,
                                    "group name %s; expected letters, digits, \"_\", \"-\", \".\"",
                                    SHOWN(name->text));
        if (first)
            return config_error_set(ret_error, name->place,
                                    "duplicate group %s; expected it once, the first is at %u:%u",
                                    SHOWN(name->text), first->name.place.line,
                                    first->name.place.column);
        r = check_events(&config->groups[i], ret_error);
        if (r < 0)
            return r;
    }
    return 0;
}

static int refuse_unknown_group(const struct config *config, const struct config_word *word,
                                struct config_error *ret_error)
{
    AUTO_FREE const char **names = calloc(config->n_groups + 1, sizeof(*names));
    int r;

    if (!names)
        return -ENOMEM;
    for (size_t i = 0; i < config->n_groups; i++)
        names[i] = config->groups[i].name.text;
    /* the word is of the built-in targets: the file has groups of its own, and no targets */
    if (word->place.line == 0)
        return config_error_set(ret_error, (struct config_place){1, 1},
                                "there is no \"targets\", and the built-in targets count group %s, "
                                "which your \"groups\" does not have; expected \"targets\"",
                                SHOWN(word->text));
    r = config_error_set(ret_error, word->place,
                         "unknown group %s; expected a name from \"groups\"", SHOWN(word->text));
    config_error_suggest(ret_error, word->text, names, config->n_groups);
    return r;
}

static int check_target_groups(const struct config *config, const struct config_words *groups,
                               struct config_error *ret_error)
{
    for (size_t i = 0; i < groups->n; i++)
        if (!find_group(config, config->n_groups, groups->words[i].text))
            return refuse_unknown_group(config, &groups->words[i], ret_error);
    return check_once(groups, "group", ret_error);
}

static int check_cpus(const struct config_word *word, struct config_error *ret_error)
{
    AUTO(cpu_list) struct cpu_list *list = NULL;
    int r;

    if (!word->text)
        return 0;
    r = cpu_list_parse(word->text, &list);
    if (r == -ENOMEM)
        return r;
    if (r < 0 || list->n == 0)
        return config_error_set(
            ret_error, word->place,
            "cpus is %s; expected auto or a list of CPUs up to 8191, such as 0-3,8",
            SHOWN(word->text));
    return 0;
}

static int check_patterns(const struct config_words *patterns, const char *key,
                          struct config_error *ret_error)
{
    for (size_t i = 0; i < patterns->n; i++) {
        const struct config_word *word = &patterns->words[i];
        const char *wrong = glob_check(word->text);

        if (wrong)
            return config_error_set(ret_error, word->place, "%s pattern %s: %s", key,
                                    SHOWN(word->text), wrong);
    }
    return 0;
}

static int check_cgroup_rule(const struct config *config, const struct config_cgroup_rule *rule,
                             struct config_error *ret_error)
{
    int r = check_patterns(&rule->include, "include", ret_error);

    if (r == 0)
        r = check_patterns(&rule->exclude, "exclude", ret_error);
    return r < 0 ? r : check_target_groups(config, &rule->groups, ret_error);
}

static int refuse_process_rule(const struct config_process_rule *rule,
                               const struct process_rule_error *wrong, const char *text,
                               size_t length, struct config_error *ret_error)
{
    const struct config_word *word =
        wrong->key == PROCESS_RULE_NAME ? &rule->name : &rule->cmdline.words[wrong->index];

    return config_error_set(ret_error, yaml_place_inside(text, length, word, wrong->offset),
                            "%s %s: %s",
                            wrong->key == PROCESS_RULE_NAME ? "name" : "cmdline pattern",
                            SHOWN(word->text), wrong->message);
}

static int check_processes(const struct config *config, const char *text, size_t length,
                           struct config_error *ret_error)
{
    AUTO(process_rules) struct process_rules *rules = NULL;
    struct process_rule_error wrong = {0};
    size_t index = 0;
    int r = 0;

    for (size_t i = 0; r == 0 && i < config->n_processes; i++)
        r = check_target_groups(config, &config->processes[i].groups, ret_error);
    if (r < 0 || config->n_processes == 0)
        return r;
    r = config_processes_make(config, &rules, &index, &wrong);
    if (r == -EINVAL)
        return refuse_process_rule(&config->processes[index], &wrong, text, length, ret_error);
    return r;
}

static int check_targets(const struct config *config, struct config_error *ret_error)
{
    int r = check_target_groups(config, &config->system.groups, ret_error);

    if (r == 0)
        r = check_cpus(&config->system.cpus, ret_error);
    for (size_t i = 0; r == 0 && i < config->n_cgroups; i++)
        r = check_cgroup_rule(config, &config->cgroups[i], ret_error);
    return r;
}

static int check_names_file(const struct config_word *file, struct config_error *ret_error)
{
    if (!file->text || file->text[0] == '/')
        return 0;
    return config_error_set(ret_error, file->place,
                            "file is %s; expected a path that begins with /", SHOWN(file->text));
}

int config_validate(const struct config *config, const char *text, size_t length,
                    struct config_error *ret_error)
{
    int r = check_groups(config, ret_error);

    if (r == 0)
        r = check_targets(config, ret_error);
    if (r == 0)
        r = check_processes(config, text, length, ret_error);
    if (r == 0)
        r = config_validate_probes(config, ret_error);
    if (r == 0)
        r = config_validate_spans(config, ret_error);
    if (r == 0)
        r = config_validate_system_calls(config, ret_error);
    if (r == 0)
        r = config_validate_names(config, ret_error);
    if (r == 0)
        r = check_names_file(&config->names.file, ret_error);
    return r < 0 ? r : config_validate_ratios(config, text, length, ret_error);
}
