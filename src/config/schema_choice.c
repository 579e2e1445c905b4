/* SPDX-License-Identifier: Apache-2.0 */
#include "config/schema_choice.h"

#include <errno.h>
#include <string.h>

#include "config/config_error.h"
#include "config/schema_refusal.h"

/* Of two that are as near the later one is suggested: versions are listed from the oldest on. */
static void suggest_choice(struct yaml_reader *reader, const struct schema_key *key,
                           const char *text, size_t n)
{
    AUTO_FREE const char **latest_first = calloc(n, sizeof(*latest_first));

    if (!latest_first)
        return; /* the message does without */
    for (size_t i = 0; i < n; i++)
        latest_first[i] = key->choices[n - 1 - i];
    config_error_suggest(reader->error, text, latest_first, n);
}

/* Finds which of the choices the present event names. */
static int take_choice(struct yaml_reader *reader, const struct schema_key *key, size_t *ret_choice)
{
    const char *text = schema_take_text(reader, key);
    size_t n = 0;
    int r;

    if (!text)
        return -EINVAL;
    for (; key->choices[n]; n++) {
        if (strcmp(text, key->choices[n]) == 0) {
            *ret_choice = n;
            return 0;
        }
    }
    r = schema_refuse_value(reader, key, text);
    suggest_choice(reader, key, text, n);
    return r;
}

int schema_read_choice(struct yaml_reader *reader, const struct schema_key *key, void *object)
{
    size_t choice = 0;
    int r = take_choice(reader, key, &choice);

    if (r == 0)
        *(unsigned *)(void *)((char *)object + key->offset) = (unsigned)choice;
    return r;
}

int schema_read_set(struct yaml_reader *reader, const struct schema_key *key, void *object)
{
    int r;

    if (reader->event.kind != YAML_AT_LIST)
        return schema_refuse_type(reader, key);
    while ((r = yaml_reader_next(reader)) == 0 && reader->event.kind != YAML_AT_LIST_END) {
        size_t choice = 0;

        r = take_choice(reader, key, &choice);
        if (r < 0)
            return r;
        *(unsigned *)(void *)((char *)object + key->offset) |= key->bits[choice];
    }
    return r;
}
