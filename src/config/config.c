/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A configuration is parsed in three steps: the reader takes YAML apart strictly (yaml_reader.c),
 * the schema puts the values where they belong (schema.c), and then the parts are compared with
 * each other (config_validate.c). How a file is read before that is in config_file.c. What the text
 * leaves out is as in the built-in default, key by key at the top level.
 */
#include "config/config.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "config/config_error.h"
#include "config/config_file.h"
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
               .series = 200000,
               .body = UINT64_C(32) << 20,
               .descriptors = 0,
               .schedule_ring = UINT64_C(16) << 20},
    .history = {.enabled = true,
                .full_ns = 3600 * NS_PER_SECOND,
                .ten_seconds_ns = UINT64_C(86400) * NS_PER_SECOND,
                .minutes_ns = UINT64_C(7) * 86400 * NS_PER_SECOND,
                .bytes = UINT64_C(512) << 20},
    .profiles = {.enabled = true, .rate_hz = 49, .bytes = UINT64_C(16) << 20},
    .names = {.kubernetes = true, .containers = true, .machines = true, .batch = true},
};

static void config_done(struct config *config)
{
    schema_done(&config_schema, config);
}

struct config *config_free(struct config *config)
{
    if (config) {
        config_done(config);
        (void)shared_text_unref(config->text);
    }
    free(config);
    return NULL;
}

/* Whether the text has nothing but comments, if anything. */
static bool is_empty_document(const struct yaml_event *event)
{
    return event->kind == YAML_AT_END ||
           (event->kind == YAML_AT_VALUE && event->length == 0 && event->is_plain);
}

static int read_root(struct yaml_reader *reader, struct config *config)
{
    int r = 0;

    config->says_nothing = is_empty_document(&reader->event);
    if (!config->says_nothing) {
        if (reader->event.kind != YAML_AT_MAPPING)
            return config_error_set(
                reader->error, yaml_reader_place(reader),
                "this is not a mapping; expected keys such as groups and targets");
        r = schema_read(reader, &config_schema, config);
    }
    if (r == 0 && reader->event.kind != YAML_AT_END)
        r = yaml_reader_finish(reader);
    return r;
}

static int read_text(struct object_reader *walls, const char *text, size_t length,
                     struct config *ret_config, struct config_error *ret_error)
{
    struct yaml_reader reader;
    int r;

    r = yaml_reader_init(&reader, walls, text, length, ret_error);
    if (r == 0)
        r = read_root(&reader, ret_config);
    yaml_reader_done(&reader);
    return r;
}

/* Takes from the built-in default the groups or targets that the text does not have. */
static int add_defaults(struct config *config, struct config_error *ret_error)
{
    struct config builtin __attribute__((cleanup(config_done))) = defaults;
    int r;

    if (config->own_groups && config->own_targets)
        return 0;
    r = read_text(NULL, config_default_text, strlen(config_default_text), &builtin, ret_error);
    if (r < 0)
        return r;
    schema_forget_places(&config_schema, &builtin); /* it stands in no file */
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

/* Keeps the text as it was read. Behind a NUL nothing is shown of it. */
static struct shared_text *keep_text(const char *text, size_t length)
{
    AUTO_FREE char *copy = strndup(text, length);

    return copy ? shared_text_new(copy) : NULL;
}

int config_parse_by(struct object_reader *walls, const char *text, size_t length,
                    struct config **ret_config, struct config_error *ret_error)
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
    r = read_text(walls, text, length, &read, &error);
    if (r == 0)
        r = add_defaults(&read, &error);
    if (r == 0)
        r = config_validate(&read, text, length, &error);
    if (r < 0) {
        *ret_error = error;
        return r;
    }
    config = malloc(sizeof(*config));
    read.text = config ? keep_text(text, length) : NULL;
    if (!read.text) {
        free(config);
        return -ENOMEM;
    }
    *config = read;
    read = (struct config){0};
    *ret_config = config;
    return 0;
}

int config_parse(const char *text, size_t length, struct config **ret_config,
                 struct config_error *ret_error)
{
    return config_parse_by(NULL, text, length, ret_config, ret_error);
}

int config_default(struct config **ret_config)
{
    struct config_error error;

    /* an empty text leaves out everything; a test has config_default_text parsed */
    int r = config_parse("", 0, ret_config, &error);

    if (r >= 0)
        (*ret_config)->text = shared_text_unref((*ret_config)->text);
    return r;
}
