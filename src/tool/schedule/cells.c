/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/schedule/cells.h"

#include <math.h>
#include <stdio.h>

#include "tool/latency/show.h"

double cell_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

void cell_add_count(struct table *table, const json_t *object, const char *key)
{
    table_add_format(table, STYLE_PLAIN, "%.0f", cell_number(object, key));
}

void cell_add_duration(struct table *table, double seconds)
{
    AUTO_TEXT struct text text = {0};

    latency_append_duration(&text, seconds);
    table_add_format(table, isfinite(seconds) ? STYLE_PLAIN : STYLE_FAINT, "%.*s", (int)text.length,
                     text.data ? text.data : "");
}

void cell_append_name(struct text *text, const json_t *thread)
{
    const char *name = json_string_value(json_object_get(thread, "name"));
    const double tid = cell_number(thread, "tid");

    if (!name)
        text_append_char(text, '-');
    else if (tid == 0)
        text_append_string(text, name);
    else
        text_append_format(text, "%s:%.0f", name, tid);
}

void cell_add_name(struct table *table, const json_t *thread)
{
    AUTO_TEXT struct text text = {0};

    cell_append_name(&text, thread);
    text_append_char(&text, '\0');
    table_add(table, text_error(&text) < 0 ? "" : text.data, STYLE_PLAIN);
}

void cell_add_rest(struct table *table, double n, size_t lines)
{
    char line[64];

    if (!(n > (double)lines))
        return;
    (void)snprintf(line, sizeof(line), "and %.0f more", n - (double)lines);
    table_add_line(table, line, STYLE_FAINT);
}
