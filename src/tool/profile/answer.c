/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/profile/answer.h"

#include <errno.h>
#include <stdint.h>

int profile_head_read(const json_t *object, struct profile_head *ret_head)
{
    const json_t *from = json_object_get(object, "from"), *to = json_object_get(object, "to"),
                 *samples = json_object_get(object, "samples");

    if (!json_is_number(from) || !json_is_number(to) || !json_is_number(samples))
        return -EPROTO;
    *ret_head = (struct profile_head){
        .from = json_number_value(from),
        .to = json_number_value(to),
        .rate = json_number_value(json_object_get(object, "rate")),
        .samples = json_number_value(samples),
        .cpu_seconds = json_number_value(json_object_get(object, "cpu_seconds")),
        .event = json_string_value(json_object_get(object, "event")),
        .events = json_number_value(json_object_get(object, "events")),
    };
    return 0;
}

int profile_columns_read(const json_t *answer, const char *key, struct profile_columns *ret_columns)
{
    json_t *object = json_object_get(answer, key);
    const size_t none = SIZE_MAX;
    size_t n = none;
    const char *name;
    json_t *column;

    json_object_foreach(object, name, column)
    {
        if (!json_is_array(column) || (n != none && json_array_size(column) != n))
            return -EPROTO;
        n = json_array_size(column);
    }
    if (n == none)
        return -EPROTO;
    *ret_columns = (struct profile_columns){object, n};
    return 0;
}

static const json_t *item(const struct profile_columns *columns, const char *column, size_t i)
{
    return json_array_get(json_object_get(columns->object, column), i);
}

double profile_number(const struct profile_columns *columns, const char *column, size_t i)
{
    return json_number_value(item(columns, column, i));
}

const char *profile_word(const struct profile_columns *columns, const char *column, size_t i)
{
    const char *word = json_string_value(item(columns, column, i));

    return word ? word : "";
}

size_t profile_place(const struct profile_columns *columns, const char *column, size_t i)
{
    const double place = profile_number(columns, column, i);

    return place >= 0 && place < (double)UINT32_MAX ? (size_t)place : SIZE_MAX;
}
