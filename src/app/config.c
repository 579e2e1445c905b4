/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A configuration is parsed in three steps: the reader takes YAML apart strictly
 * (yaml_reader.c), the schema puts the values where they belong (schema.c), the
 * checks compare the parts with each other (config_check.c). What a file leaves
 * out is as in the built-in default, key by key at the top level.
 */
#include "app/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "app/config_check.h"
#include "app/config_error.h"
#include "app/config_schema.h"
#include "app/log.h"
#include "base/clock.h"

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

static void cleanup_config_file(struct config_file *file)
{
    config_done(&file->config);
}

static bool is_empty_document(const yaml_event_t *event)
{
    return event->type == YAML_STREAM_END_EVENT ||
           (event->type == YAML_SCALAR_EVENT && event->data.scalar.length == 0 &&
            event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE);
}

static int read_root(struct yaml_reader *reader, struct config_file *file)
{
    int r = 0;

    if (!is_empty_document(&reader->event)) {
        if (reader->event.type != YAML_MAPPING_START_EVENT)
            return config_error_set(reader->error, yaml_reader_place(reader),
                                    "this is no mapping; expected keys such as groups and targets");
        r = schema_read(reader, &config_schema, file);
    }
    if (r == 0 && reader->event.type != YAML_STREAM_END_EVENT)
        r = yaml_reader_finish(reader);
    return r;
}

static int read_file_text(const char *text, size_t length, struct config_file *ret_file,
                          struct config_error *ret_error)
{
    struct yaml_reader reader;
    int r;

    r = yaml_reader_init(&reader, text, length, ret_error);
    if (r == 0)
        r = read_root(&reader, ret_file);
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
static int fill_in(struct config_file *file, struct config_error *ret_error)
{
    struct config_file builtin __attribute__((cleanup(cleanup_config_file))) = {.config = defaults};
    struct config *config = &file->config;
    int r;

    if (file->has_groups && file->has_targets)
        return 0;
    r = read_file_text(config_default_text, strlen(config_default_text), &builtin, ret_error);
    if (r < 0)
        return r;
    forget_places(&builtin.config);
    if (!file->has_groups) {
        config->groups = TAKE(builtin.config.groups);
        config->n_groups = builtin.config.n_groups;
        builtin.config.n_groups = 0;
    }
    if (!file->has_targets) {
        config->system = builtin.config.system;
        builtin.config.system = (struct config_system){0};
        config->cgroups = TAKE(builtin.config.cgroups);
        config->n_cgroups = builtin.config.n_cgroups;
        builtin.config.n_cgroups = 0;
    }
    return 0;
}

int config_parse(const char *text, size_t length, struct config **ret_config,
                 struct config_error *ret_error)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    struct config_file file __attribute__((cleanup(cleanup_config_file))) = {.config = defaults};
    struct config_error error = {0};
    struct config *config;
    int r;

    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    r = read_file_text(text, length, &file, &error);
    if (r == 0)
        r = fill_in(&file, &error);
    if (r == 0)
        r = config_check(&file.config, text, length, &error);
    if (r < 0) {
        *ret_error = error;
        return r;
    }
    config = malloc(sizeof(*config));
    if (!config)
        return -ENOMEM;
    *config = file.config;
    file.config = (struct config){0};
    *ret_config = config;
    return 0;
}

/* Reads until the end or one byte more than is allowed, so that the parser sees that and refuses.
 */
static int read_all(int fd, char *buffer, size_t size, size_t *ret_length)
{
    size_t length = 0;

    while (length < size) {
        ssize_t n = read(fd, buffer + length, size - length);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        length += (size_t)n;
    }
    *ret_length = length;
    return 0;
}

/* Without waiting for whoever may be at the other end of a FIFO. */
static int open_regular(const char *path, int *ret_fd, struct config_error *ret_error)
{
    static const struct config_place whole_file = {0, 0};
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) < 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return config_error_set(ret_error, whole_file, "this is %s; expected a regular file",
                                S_ISDIR(status.st_mode)    ? "a directory"
                                : S_ISFIFO(status.st_mode) ? "a FIFO"
                                                           : "no file to be read");
    *ret_fd = TAKE_FD(fd);
    return 0;
}

int config_read(const char *path, struct config **ret_config, struct config_error *ret_error)
{
    AUTO_FREE char *text = NULL;
    AUTO_CLOSE int fd = -1;
    size_t length = 0;
    int r;

    r = open_regular(path, &fd, ret_error);
    if (r < 0)
        return r;
    text = malloc(YAML_READER_LARGEST + 1);
    if (!text)
        return -ENOMEM;
    r = read_all(fd, text, YAML_READER_LARGEST + 1, &length);
    return r < 0 ? r : config_parse(text, length, ret_config, ret_error);
}

int config_default(struct config **ret_config)
{
    struct config_error error;

    /* nothing given is the default; config_default_text is checked by a test */
    return config_parse("", 0, ret_config, &error);
}

int config_load(const char *path, bool may_be_absent, struct config **ret_config,
                struct config_error *ret_error)
{
    int r = config_read(path, ret_config, ret_error);

    if (r != -ENOENT || !may_be_absent)
        return r;
    log_info("no configuration file, the built-in default runs", "path", path);
    return config_default(ret_config);
}
