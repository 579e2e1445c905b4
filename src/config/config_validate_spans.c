/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "config/config_error.h"
#include "config/config_validate.h"
#include "event/expansion.h"

#define WORD_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

static const struct config_span *find_span(const struct config *config, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(config->spans[i].name.text, name) == 0)
            return &config->spans[i];
    return NULL;
}

static int check_name(const struct config *config, size_t index, struct config_error *ret_error)
{
    const struct config_word *name = &config->spans[index].name;
    const struct config_span *first = find_span(config, index, name->text);

    if (!*name->text || name->text[strspn(name->text, WORD_CHARACTERS "-.")])
        return config_error_set(ret_error, name->place,
                                "span name %s; expected letters, digits, \"_\", \"-\", \".\"",
                                SHOWN(name->text));
    if (first)
        return config_error_set(
            ret_error, name->place, "duplicate span %s; expected it once, the first is at %u:%u",
            SHOWN(name->text), first->name.place.line, first->name.place.column);
    return 0;
}

static int check_event(const struct config *config, const struct config_word *event,
                       struct config_error *ret_error)
{
    if (strpbrk(event->text, EVENT_WILDCARDS))
        return config_error_set(ret_error, event->place,
                                "%s stands for several events; expected one tracepoint or probe",
                                SHOWN(event->text));
    if (!strchr(event->text, ':'))
        return config_error_set(ret_error, event->place,
                                "%s begins or ends no span; expected a tracepoint or probe, such "
                                "as ext4:ext4_sync_file_enter or probe:NAME",
                                SHOWN(event->text));
    return config_validate_probe_name(config, event, ret_error);
}

static int check_key(const struct config_word *key, struct config_error *ret_error)
{
    if (!key->text || (*key->text && !key->text[strspn(key->text, WORD_CHARACTERS)]))
        return 0;
    return config_error_set(ret_error, key->place,
                            "key %s; expected " CONFIG_KEY_THREAD " or a field of the tracepoint",
                            SHOWN(key->text));
}

int config_validate_spans(const struct config *config, struct config_error *ret_error)
{
    int r = 0;

    for (size_t i = 0; i < config->n_spans && r == 0; i++) {
        const struct config_span *span = &config->spans[i];

        r = check_name(config, i, ret_error);
        if (r == 0)
            r = check_event(config, &span->begin, ret_error);
        if (r == 0)
            r = check_event(config, &span->end, ret_error);
        if (r == 0)
            r = check_key(&span->key, ret_error);
        if (r == 0)
            r = check_key(&span->end_key, ret_error);
    }
    return r;
}
