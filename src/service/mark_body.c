/* SPDX-License-Identifier: Apache-2.0 */
#include "service/mark_body.h"

#include <errno.h>
#include <jansson.h>

#include "base/clock.h"
#include "history/history_store.h"

/* In the year 2262: the history keeps times as nanoseconds, of 63 bits. */
#define LAST_SECOND 9223372035.0

static inline void cleanup_json(json_t **value)
{
    json_decref(*value);
}
#define AUTO_JSON __attribute__((cleanup(cleanup_json)))

static int refuse(struct text *why, const char *reason)
{
    text_append_string(why, reason);
    return -EINVAL;
}

static int take_time(const json_t *value, struct text *why, uint64_t *ret_ns)
{
    const double seconds = json_number_value(value);

    if (!json_is_number(value) || !(seconds > 0 && seconds <= LAST_SECOND))
        return refuse(why, "\"time\" is to be a number: seconds since 1970, after 0 and "
                           "before the year 2262");
    /* Whole seconds stay whole: a double has some 240 ns between two of its values today. */
    *ret_ns = (uint64_t)seconds * NS_PER_SECOND +
              (uint64_t)((seconds - (double)(uint64_t)seconds) * (double)NS_PER_SECOND);
    return 0;
}

static int check_text(const json_t *value, struct text *why)
{
    if (!json_is_string(value) || json_string_length(value) == 0)
        return refuse(why, "\"text\" is to be a string that is not empty");
    for (const char *c = json_string_value(value); *c; c++)
        if (((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f)
            return refuse(why, "\"text\" has a control character");
    if (json_string_length(value) > HISTORY_MARK_TEXT_MAX) {
        text_append_format(why, "\"text\" has more than %d bytes", HISTORY_MARK_TEXT_MAX);
        return -EINVAL;
    }
    return 0;
}

static int take(json_t *root, struct text *why, struct mark_body *ret_mark)
{
    const json_t *const text = json_object_get(root, "text"), *const time =
                                                                  json_object_get(root, "time");
    struct mark_body mark = {0};
    int r;

    if (!json_is_object(root) || json_object_size(root) != (time ? 2 : 1) || !text)
        return refuse(why, "expected an object with \"text\", and with \"time\" or without it");
    r = check_text(text, why);
    if (r >= 0 && time)
        r = take_time(time, why, &mark.time_ns);
    if (r < 0)
        return r;
    mark.text = strdup(json_string_value(text));
    if (!mark.text)
        return -ENOMEM;
    *ret_mark = mark;
    return 0;
}

int mark_body_parse(const char *body, size_t length, struct text *why, struct mark_body *ret_mark)
{
    json_error_t error;
    AUTO_JSON json_t *root = json_loadb(body, length, JSON_REJECT_DUPLICATES, &error);

    if (root)
        return take(root, why, ret_mark);
    text_append_format(why, "the body is no JSON: %s, at line %d, column %d", error.text,
                       error.line, error.column);
    return -EINVAL;
}
