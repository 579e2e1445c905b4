/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A configuration is parsed in three steps: the reader takes YAML apart strictly
 * (yaml_reader.c), the schema puts the values where they belong (schema.c), the
 * checks compare the parts with each other (config_validate.c). A file is read before
 * (config_file.c). What a file leaves
 * out is as in the built-in default, key by key at the top level.
 */
#include "config/config.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "config/config_error.h"
#include "config/config_schema.h"
#include "config/config_validate.h"

static const struct config defaults = {
    .interval_ns = NS_PER_SECOND,
    .linger_ns = 60 * NS_PER_SECOND,
    .counting = CONFIG_COUNTING_AUTO,
    .expose_rates = true,
    .expose_ratios = true,
    .limits = {.cgroups = 1000,
               .processes = 200,
               .threads = 2000,
               .series = 50000,
               .body = UINT64_C(8) << 20,
               .descriptors = 0},
};

static void words_done(struct config_words *words)
{
    for (size_t i = 0; i < words->n; i++)
        free(words->words[i].text);
    free(words->words);
    *words = (struct config_words){0};
}

static void groups_done(struct config *config)
{
    for (size_t i = 0; i < config->n_groups; i++) {
        free(config->groups[i].name.text);
        words_done(&config->groups[i].events);
    }
    free(config->groups);
    config->groups = NULL;
    config->n_groups = 0;
}

static void processes_done(struct config *config)
{
    for (size_t i = 0; i < config->n_processes; i++) {
        struct config_process_rule *rule = &config->processes[i];

        free(rule->name.text);
        words_done(&rule->comm);
        words_done(&rule->exe);
        words_done(&rule->cmdline);
        free(rule->pid.numbers);
        words_done(&rule->groups);
    }
    free(config->processes);
    config->processes = NULL;
    config->n_processes = 0;
}

static void targets_done(struct config *config)
{
    words_done(&config->system.groups);
    free(config->system.cpus.text);
    config->system = (struct config_system){0};
    processes_done(config);
    for (size_t i = 0; i < config->n_cgroups; i++) {
        words_done(&config->cgroups[i].include);
        words_done(&config->cgroups[i].exclude);
        words_done(&config->cgroups[i].groups);
    }
    free(config->cgroups);
    config->cgroups = NULL;
    config->n_cgroups = 0;
}

static void config_done(struct config *config)
{
    groups_done(config);
    targets_done(config);
    for (size_t i = 0; i < config->n_renames; i++) {
        free(config->renames[i].event.text);
        free(config->renames[i].name.text);
    }
    free(config->renames);
    for (size_t i = 0; i < config->n_ratios; i++) {
        free(config->ratios[i].name.text);
        free(config->ratios[i].formula.text);
    }
    free(config->ratios);
    *config = (struct config){0};
}

struct config *config_free(struct config *config)
{
    if (config)
        config_done(config);
    free(config);
    return NULL;
}

/* Nothing, or nothing but comments. */
static bool is_empty_document(const yaml_event_t *event)
{
    return event->type == YAML_STREAM_END_EVENT ||
           (event->type == YAML_SCALAR_EVENT && event->data.scalar.length == 0 &&
            event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE);
}

static int read_root(struct yaml_reader *reader, struct config *config)
{
    int r = 0;

    config->says_nothing = is_empty_document(&reader->event);
    if (!config->says_nothing) {
        if (reader->event.type != YAML_MAPPING_START_EVENT)
            return config_error_set(reader->error, yaml_reader_place(reader),
                                    "this is no mapping; expected keys such as groups and targets");
        r = schema_read(reader, &config_schema, config);
    }
    if (r == 0 && reader->event.type != YAML_STREAM_END_EVENT)
        r = yaml_reader_finish(reader);
    return r;
}

static int read_text(const char *text, size_t length, struct config *ret_config,
                     struct config_error *ret_error)
{
    struct yaml_reader reader;
    int r;

    r = yaml_reader_init(&reader, text, length, ret_error);
    if (r == 0)
        r = read_root(&reader, ret_config);
    yaml_reader_done(&reader);
    return r;
}

static void forget_places_of(struct config_words *words)
{
    for (size_t i = 0; i < words->n; i++)
        words->words[i].place = (struct config_place){0, 0};
}

/* The built-in default stands in no file. It has no renames, no ratios and no processes. */
static void forget_places(struct config *config)
{
    for (size_t i = 0; i < config->n_groups; i++) {
        config->groups[i].name.place = (struct config_place){0, 0};
        forget_places_of(&config->groups[i].events);
    }
    forget_places_of(&config->system.groups);
    config->system.cpus.place = (struct config_place){0, 0};
    for (size_t i = 0; i < config->n_cgroups; i++) {
        forget_places_of(&config->cgroups[i].include);
        forget_places_of(&config->cgroups[i].exclude);
        forget_places_of(&config->cgroups[i].groups);
    }
}

/* Moves in from the built-in default what the file does not give. */
static int fill_in(struct config *config, struct config_error *ret_error)
{
    struct config builtin __attribute__((cleanup(config_done))) = defaults;
    int r;

    if (config->own_groups && config->own_targets)
        return 0;
    r = read_text(config_default_text, strlen(config_default_text), &builtin, ret_error);
    if (r < 0)
        return r;
    forget_places(&builtin);
    if (!config->own_groups) {
        config->groups = TAKE(builtin.groups);
        config->n_groups = builtin.n_groups;
        builtin.n_groups = 0;
    }
    if (!config->own_targets) {
        config->system = builtin.system;
        builtin.system = (struct config_system){0};
        config->cgroups = TAKE(builtin.cgroups);
        config->n_cgroups = builtin.n_cgroups;
        builtin.n_cgroups = 0;
    }
    return 0;
}

int config_parse(const char *text, size_t length, struct config **ret_config,
                 struct config_error *ret_error)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    struct config read __attribute__((cleanup(config_done))) = defaults;
    struct config_error error = {0};
    struct config *config;
    int r;

    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    r = read_text(text, length, &read, &error);
    if (r == 0)
        r = fill_in(&read, &error);
    if (r == 0)
        r = config_check(&read, text, length, &error);
    if (r < 0) {
        *ret_error = error;
        return r;
    }
    config = malloc(sizeof(*config));
    if (!config)
        return -ENOMEM;
    *config = read;
    read = (struct config){0};
    *ret_config = config;
    return 0;
}

int config_default(struct config **ret_config)
{
    struct config_error error;

    /* nothing given is the default; config_default_text is checked by a test */
    return config_parse("", 0, ret_config, &error);
}
