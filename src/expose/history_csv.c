/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "expose/history_json.h"
#include "expose/json_text.h"

/* The columns of the text: the first series that has its name and labels stands for all. */
struct csv {
    const struct history_series **columns;
    size_t n_columns;
};

static bool same_column(const struct history_series *a, const struct history_series *b)
{
    if (strcmp(a->name, b->name) != 0)
        return false;
    for (size_t i = 0; i < HISTORY_LABELS; i++) {
        const struct history_label *one = &a->labels[i], *other = &b->labels[i];

        if (!one->name || !other->name) {
            if (one->name || other->name)
                return false;
        } else if (strcmp(one->name, other->name) != 0 || strcmp(one->value, other->value) != 0) {
            return false;
        }
    }
    return true;
}

static void add_column(struct csv *csv, const struct history_series *series)
{
    for (size_t i = 0; i < csv->n_columns; i++)
        if (same_column(csv->columns[i], series))
            return;
    csv->columns[csv->n_columns++] = series;
}

static int collect_columns(const struct history_page *page, struct csv *ret_csv)
{
    struct csv csv = {0};
    size_t most = 1;

    for (size_t i = 0; i < page->n_parts; i++)
        if (page->parts[i].answer)
            most += page->parts[i].answer->n_series;
    csv.columns = calloc(most, sizeof(struct history_series *));
    if (!csv.columns)
        return -ENOMEM;
    for (size_t i = 0; i < page->n_parts; i++)
        for (size_t j = 0; page->parts[i].answer && j < page->parts[i].answer->n_series; j++)
            add_column(&csv, &page->parts[i].answer->series[j]);
    *ret_csv = csv;
    return 0;
}

/* Appends a field, in quotation marks where it needs them. */
static void append_field(struct text *text, const char *field)
{
    if (!strpbrk(field, "\",\r\n")) {
        text_append_string(text, field);
        return;
    }
    text_append_char(text, '"');
    for (; *field; field++) {
        if (*field == '"')
            text_append_char(text, '"');
        text_append_char(text, *field);
    }
    text_append_char(text, '"');
}

static int append_column_name(struct text *text, const struct history_series *series)
{
    AUTO_TEXT struct text name = {0};
    AUTO_FREE char *field = NULL;

    text_append_string(&name, series->name);
    for (size_t i = 0; i < HISTORY_LABELS && series->labels[i].name; i++)
        text_append_format(&name, "%c%s=\"%s\"", i ? ',' : '{', series->labels[i].name,
                           series->labels[i].value);
    if (series->labels[0].name)
        text_append_char(&name, '}');
    field = text_take(&name);
    if (!field)
        return -ENOMEM;
    append_field(text, field);
    return 0;
}

static int append_head(struct text *text, const struct csv *csv)
{
    int r = 0;

    text_append_string(text, "time,target");
    for (size_t i = 0; i < csv->n_columns && r >= 0; i++) {
        text_append_char(text, ',');
        r = append_column_name(text, csv->columns[i]);
    }
    text_append_string(text, "\r\n");
    return r;
}

/* The series of a target for each column of the text; NULL where it has none. */
static const struct history_series **find_series(const struct csv *csv,
                                                 const struct history_answer *answer)
{
    const struct history_series **found =
        calloc(csv->n_columns + 1, sizeof(struct history_series *));

    for (size_t i = 0; found && i < csv->n_columns; i++)
        for (size_t j = 0; j < answer->n_series; j++)
            if (same_column(csv->columns[i], &answer->series[j]))
                found[i] = &answer->series[j];
    return found;
}

static int append_part(struct text *text, const struct csv *csv, const struct history_part *part)
{
    AUTO_FREE const struct history_series **series = find_series(csv, part->answer);

    if (!series)
        return -ENOMEM;
    for (size_t i = 0; i < part->answer->n_times; i++) {
        json_append_seconds(text, part->answer->times_ns[i]);
        text_append_char(text, ',');
        append_field(text, part->target);
        for (size_t j = 0; j < csv->n_columns; j++) {
            text_append_char(text, ',');
            if (series[j] && isfinite(series[j]->values[i]))
                json_append_measured(text, series[j]->values[i]);
        }
        text_append_string(text, "\r\n");
    }
    return 0;
}

int history_csv_write(const struct history_page *page, struct text *text)
{
    struct csv csv;
    int r = collect_columns(page, &csv);

    if (r < 0)
        return r;
    r = append_head(text, &csv);
    for (size_t i = 0; i < page->n_parts && r >= 0; i++)
        if (page->parts[i].answer)
            r = append_part(text, &csv, &page->parts[i]);
    free(csv.columns);
    return r < 0 ? r : text_error(text);
}
