/* SPDX-License-Identifier: Apache-2.0 */
#include "config/web_config_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/config_error.h"
#include "config/config_file.h"

static void forget(char **text)
{
    if (*text)
        explicit_bzero(*text, strlen(*text));
    free(TAKE(*text));
}

void web_config_pems_done(struct web_config_pems *pems)
{
    forget(&pems->certificate);
    forget(&pems->key);
    forget(&pems->client_ca);
}

static int read_root(struct yaml_reader *reader, struct web_config_text *text)
{
    const struct yaml_event *event = &reader->event;
    int r;

    if (event->kind == YAML_AT_END)
        return 0;
    if (event->kind == YAML_AT_MAPPING) {
        r = schema_read(reader, &web_config_schema, text);
        if (r < 0)
            return r;
    } else if (event->kind != YAML_AT_VALUE || event->length > 0) {
        return config_error_set(reader->error, yaml_reader_place(reader),
                                "this is not a mapping; expected keys such as tls_server_config "
                                "and basic_auth_users");
    }
    return yaml_reader_finish(reader);
}

int web_config_read_text(struct object_reader *walls, const char *text, size_t length,
                         struct web_config_text *ret_text, struct config_error *ret_error)
{
    struct yaml_reader reader;
    int r = yaml_reader_init(&reader, walls, text, length, ret_error);

    if (r == 0)
        r = read_root(&reader, ret_text);
    yaml_reader_done(&reader);
    return r;
}

static int make_path(const char *directory, const char *name, char **ret_path)
{
    char *path = NULL;

    if (name[0] == '/')
        path = strdup(name);
    else if (asprintf(&path, "%s/%s", directory, name) < 0)
        path = NULL;
    if (!path)
        return -ENOMEM;
    *ret_path = path;
    return 0;
}

/* Reads a file that the text names, as a C string. */
static int read_pem(const char *path, const struct config_word *word, char **ret_text,
                    struct config_error *ret_error)
{
    AUTO_FREE char *text = calloc(1, YAML_READER_LARGEST + 2);
    size_t length = 0;
    int r;

    if (!text)
        return -ENOMEM;
    r = config_file_read(path, text, &length, ret_error);
    if (r == 0)
        *ret_text = strndup(text, length);
    explicit_bzero(text, length);
    if (r == -EINVAL) {
        const struct config_error whole = *ret_error;

        return config_error_set(ret_error, word->place, "%s cannot be read: %s", SHOWN(path),
                                whole.message);
    }
    if (r < 0)
        return config_error_set(ret_error, word->place,
                                "%s cannot be read: %s; expected a file in PEM", SHOWN(path),
                                strerror(-r));
    return *ret_text ? 0 : -ENOMEM;
}

static char **free_place(struct web_config *config)
{
    size_t i = 0;

    while (config->files[i])
        i++;
    return &config->files[i];
}

/* Takes a text of PEM from where it stands: in the configuration or in a file, not in both. */
static int take_pem(const struct config_word *here, const struct config_word *file,
                    const char *directory, struct web_config *config, char **ret_text,
                    struct config_error *ret_error)
{
    char **path;
    int r;

    if (here->text && file->text)
        return config_error_set(ret_error, here->place,
                                "the text stands here and a file is named at %u:%u; expected one "
                                "of them",
                                file->place.line, file->place.column);
    if (here->text) {
        *ret_text = strdup(here->text);
        return *ret_text ? 0 : -ENOMEM;
    }
    if (!file->text)
        return 0;
    path = free_place(config);
    r = make_path(directory, file->text, path);
    return r < 0 ? r : read_pem(*path, file, ret_text, ret_error);
}

int web_config_read_pems(const struct web_config_text *text, const char *directory,
                         struct web_config *config, struct web_config_pems *ret_pems,
                         struct config_error *ret_error)
{
    const struct web_config_tls *const tls = &text->tls;
    int r = take_pem(&tls->certificate, &tls->certificate_file, directory, config,
                     &ret_pems->certificate, ret_error);

    if (r == 0)
        r = take_pem(&tls->key, &tls->key_file, directory, config, &ret_pems->key, ret_error);
    if (r == 0)
        r = take_pem(&tls->client_ca, &tls->client_ca_file, directory, config, &ret_pems->client_ca,
                     ret_error);
    return r;
}
