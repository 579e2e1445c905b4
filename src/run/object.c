/* SPDX-License-Identifier: Apache-2.0 */
#include "run/object.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/suggest.h"

int object_refuse(struct text *message, const char *format, ...)
{
    char line[256];
    va_list list;

    va_start(list, format);
    (void)vsnprintf(line, sizeof(line), format, list);
    va_end(list);
    text_append_string(message, line);
    return -EINVAL;
}

/* Counts lists, objects and keys without making them. */
static size_t count_parts(const char *body, size_t length)
{
    bool in_text = false;
    size_t n = 0;

    for (size_t i = 0; i < length; i++) {
        if (body[i] == '"')
            in_text = !in_text;
        else if (in_text)
            i += body[i] == '\\';
        else
            n += body[i] == '[' || body[i] == '{' || body[i] == ':';
    }
    return n;
}

json_t *object_parse(const char *body, size_t length, struct text *message)
{
    json_error_t error;
    json_t *object;

    if (count_parts(body, length) > OBJECT_PARTS_MAX) {
        (void)object_refuse(message, "more than %d lists, objects and keys", OBJECT_PARTS_MAX);
        return NULL;
    }
    object = json_loadb(body, length, JSON_REJECT_DUPLICATES, &error);
    if (!object) {
        (void)object_refuse(message, "this is no JSON: %s in line %d", error.text, error.line);
        return NULL;
    }
    if (json_is_object(object))
        return object;
    json_decref(object);
    (void)object_refuse(message, "expected a JSON object");
    return NULL;
}

int object_check_keys(const json_t *object, const char *const *keys, size_t n_keys,
                      struct text *message)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)object, key, value)
    {
        const char *nearest;
        size_t i = 0;

        while (i < n_keys && strcmp(keys[i], key) != 0)
            i++;
        if (i < n_keys)
            continue;
        nearest = suggest_nearest(key, keys, n_keys);
        return nearest ? object_refuse(message, "unknown key \"%.64s\", did you mean \"%s\"?", key,
                                       nearest)
                       : object_refuse(message, "unknown key \"%.64s\"", key);
    }
    return 0;
}

/* Whether a byte may stand in a text; what is not ASCII has been checked to be UTF-8. */
static bool may_stand(unsigned char byte, bool has_lines)
{
    return byte >= 0x20 ? byte != 0x7f : has_lines && (byte == '\n' || byte == '\t');
}

int object_take_text(const json_t *object, const char *key, size_t most, bool has_lines,
                     char **ret_text, struct text *message)
{
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);

    if (!value)
        return -ENOENT;
    if (!text)
        return object_refuse(message, "expected a text as \"%s\"", key);
    if (strlen(text) > most)
        return object_refuse(message, "\"%s\" is longer than %zu bytes", key, most);
    for (const char *c = text; *c; c++)
        if (!may_stand((unsigned char)*c, has_lines))
            return object_refuse(message, "\"%s\" has a control character", key);
    *ret_text = strdup(text);
    return *ret_text ? 0 : -ENOMEM;
}

int object_take_seconds(const json_t *object, const char *key, uint64_t least_ns, uint64_t most_ns,
                        uint64_t *time_ns, struct text *message)
{
    const json_t *value = json_object_get(object, key);
    const double seconds = json_number_value(value);
    const double least = (double)least_ns / (double)NS_PER_SECOND;
    const double most = (double)most_ns / (double)NS_PER_SECOND;

    if (!value)
        return 0;
    if (!json_is_number(value) || !(seconds >= least && seconds <= most))
        return object_refuse(message, "expected a number of seconds from %g to %g as \"%s\"", least,
                             most, key);
    *time_ns = (uint64_t)llround(seconds * (double)NS_PER_SECOND);
    return 0;
}
