/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Each line of a breakdown has a series for each of its tallies, and for each bucket of its
 * distributions one by its limit, with what it alone counts.
 */
#include <errno.h>
#include <string.h>

#include "history/layout.h"
#include "history/layout_bytes.h"

/* A series while it is made: of a line, and of one of the families. */
struct making {
    const struct breakdown_shape *shape;
    const struct breakdown_line *line;
    const struct plan_breakdown *family;
    size_t first; /* the total that is the first number of the line */
    struct text bytes;
    size_t n_series;
};

/* The labels of the key, then `le` (NULL: there is none), then what lacks of so many. */
static void append_labels(struct making *making, const struct text *le)
{
    size_t n = 0;

    if (le) {
        layout_append_string(&making->bytes, "le");
        text_append(&making->bytes, le->data, le->length);
        text_append_char(&making->bytes, '\0');
        n++;
    }
    for (size_t i = 0; i < ARRAY_SIZE(making->shape->label_names); i++)
        if (making->shape->label_names[i]) {
            layout_append_string(&making->bytes, making->shape->label_names[i]);
            layout_append_string(&making->bytes, making->line->labels[i]);
            n++;
        }
    for (; n < HISTORY_LABELS; n++)
        layout_append_string(&making->bytes, ""), layout_append_string(&making->bytes, "");
}

static void append_series(struct making *making, const char *name, const char *scale,
                          const struct text *le, size_t total)
{
    layout_append_count(&making->bytes, SERIES_RATE);
    layout_append_string(&making->bytes, name);
    layout_append_string(&making->bytes, scale);
    append_labels(making, le);
    layout_append_count(&making->bytes, 1);
    layout_append_count(&making->bytes, making->first + total);
    making->n_series++;
}

static int append_distribution(struct making *making)
{
    const struct latency_layout *layout = &making->shape->distributions;
    const struct plan_breakdown *family = making->family;
    AUTO_TEXT struct text sum = {0}, le = {0};

    for (size_t i = 0; i < layout->n; i++) {
        text_clear(&le);
        plan_append_limit(&le, layout, i);
        append_series(making, family->name, "1", &le, family->first + i);
    }
    text_append_format(&sum, "%s_sum", family->name);
    text_append_char(&sum, '\0');
    if (text_error(&le) < 0 || text_error(&sum) < 0)
        return -ENOMEM;
    append_series(making, sum.data, "1e-9", NULL, family->first + layout->n);
    return 0;
}

static int append_tally(struct making *making)
{
    AUTO_TEXT struct text rate = {0};

    layout_append_rate_name(&rate, making->family->name);
    text_append_char(&rate, '\0');
    if (text_error(&rate) < 0)
        return -ENOMEM;
    append_series(making, rate.data, "1", NULL, making->family->first);
    return 0;
}

static int append_line(struct making *making, const struct plan *plan, enum breakdown_kind kind)
{
    int r = 0;

    for (size_t i = 0; i < plan->n_breakdowns && r == 0; i++) {
        making->family = &plan->breakdowns[i];
        if (making->family->kind == kind)
            r = making->family->type == FAMILY_HISTOGRAM ? append_distribution(making)
                                                         : append_tally(making);
    }
    return r;
}

static void append_whole(struct text *bytes, const struct making *making, size_t n_totals)
{
    layout_append_count(bytes, 2);
    layout_append_count(bytes, n_totals);
    layout_append_count(bytes, making->n_series);
    text_append(bytes, making->bytes.data, making->bytes.length);
}

static const char *label_of(const struct layout_series *series, const char *name)
{
    for (size_t i = 0; i < HISTORY_LABELS && series->labels[i].name; i++)
        if (strcmp(series->labels[i].name, name) == 0)
            return series->labels[i].value;
    return "";
}

static bool is_of_line(const struct layout_series *series, enum breakdown_kind kind,
                       const struct breakdown_line *line)
{
    const struct breakdown_shape *shape = &breakdown_shapes[kind];

    for (size_t i = 0; i < ARRAY_SIZE(shape->label_names) && shape->label_names[i]; i++)
        if (strcmp(label_of(series, shape->label_names[i]), line->labels[i]) != 0)
            return false;
    return true;
}

bool layout_has_lines(const struct layout *layout, const struct breakdown *breakdown)
{
    const size_t n = breakdown->n_lines;

    if (layout->n_totals != n * breakdown_numbers(breakdown->kind) || layout->n_series % n != 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!is_of_line(&layout->series[i * (layout->n_series / n)], breakdown->kind,
                        &breakdown->lines[i]))
            return false;
    return true;
}

bool layout_has_line(const struct layout *layout, enum breakdown_kind kind,
                     const struct breakdown_line *line)
{
    const size_t n = layout->n_totals / breakdown_numbers(kind);

    for (size_t i = 0; i < n; i++)
        if (is_of_line(&layout->series[i * (layout->n_series / n)], kind, line))
            return true;
    return false;
}

int layout_of_breakdown(const struct plan *plan, const struct breakdown *breakdown,
                        struct layout **ret_layout)
{
    const size_t n = breakdown_numbers(breakdown->kind);
    struct making making = {.shape = &breakdown_shapes[breakdown->kind]};
    AUTO_TEXT struct text bytes = {0};
    int r = 0;

    for (size_t i = 0; i < breakdown->n_lines && r == 0; i++) {
        making.line = &breakdown->lines[i];
        making.first = i * n;
        r = append_line(&making, plan, breakdown->kind);
    }
    if (r == 0 && making.n_series > 0)
        append_whole(&bytes, &making, breakdown->n_lines * n);
    r = r < 0 ? r : text_error(&making.bytes);
    text_done(&making.bytes);
    if (r == 0)
        r = text_error(&bytes) < 0 ? -ENOMEM : layout_parse(bytes.data, bytes.length, ret_layout);
    return r;
}
