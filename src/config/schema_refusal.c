/* SPDX-License-Identifier: Apache-2.0 */

/* An error says what stands in the text, and what the table of the schema expects there. */
#include "config/schema_refusal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "config/config_error.h"

bool schema_is_null(const struct yaml_event *event)
{
    const char *text = event->text;

    return event->length == 0 ||
           (event->is_plain && (strcmp(text, "~") == 0 || strcmp(text, "null") == 0));
}

const char *schema_event_name(const struct yaml_event *event)
{
    switch (event->kind) {
    case YAML_AT_MAPPING:
        return "a mapping";
    case YAML_AT_LIST:
        return "a list";
    case YAML_AT_VALUE:
        return event->length == 0 ? "empty" : schema_is_null(event) ? "null" : "a single value";
    default:
        return "the end";
    }
}

const char *schema_separator(size_t i, size_t n, const char *last)
{
    return i == 0 ? "" : i + 1 == n ? last : ", ";
}

int schema_add_expected(struct yaml_reader *reader, const struct schema_key *key)
{
    size_t n_choices = 0;

    while (key->choices && key->choices[n_choices])
        n_choices++;
    config_error_add(reader->error, "; expected ");
    if (key->expected)
        config_error_add(reader->error, "%s", key->expected);
    else if (key->type == SCHEMA_NUMBER)
        config_error_add(reader->error, "%sa whole number from %" PRIu64 " to %" PRIu64,
                         key->takes_all    ? "auto, all or "
                         : key->takes_auto ? "auto or "
                                           : "",
                         key->minimum, key->maximum);
    for (size_t i = 0; i < n_choices; i++)
        config_error_add(reader->error, "%s%s", schema_separator(i, n_choices, " or "),
                         key->choices[i]);
    for (size_t i = 0; key->inner && i < key->inner->n_keys; i++)
        config_error_add(reader->error, "%s%s", i == 0 ? " with " : ", ", key->inner->keys[i].name);
    return -EINVAL;
}

int schema_refuse_type(struct yaml_reader *reader, const struct schema_key *key)
{
    (void)config_error_set(reader->error, yaml_reader_place(reader), "%s is %s", key->name,
                           schema_event_name(&reader->event));
    return schema_add_expected(reader, key);
}

int schema_refuse_value(struct yaml_reader *reader, const struct schema_key *key, const char *value)
{
    (void)config_error_set(reader->error, yaml_reader_place(reader), "%s is %s", key->name,
                           SHOWN(value));
    return schema_add_expected(reader, key);
}

static bool has_control_character(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == '\x7f')
            return true;
    return false;
}

const char *schema_take_text(struct yaml_reader *reader, const struct schema_key *key)
{
    const struct yaml_event *event = &reader->event;

    if (event->kind != YAML_AT_VALUE || schema_is_null(event)) {
        (void)schema_refuse_type(reader, key);
        return NULL;
    }
    if (!key->takes_lines && has_control_character(event->text, event->length)) {
        (void)config_error_set(reader->error, yaml_reader_place(reader),
                               "%s holds a control character or a line break", key->name);
        (void)schema_add_expected(reader, key);
        return NULL;
    }
    return event->text;
}
