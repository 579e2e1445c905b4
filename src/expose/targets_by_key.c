/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/targets_by_key.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expose/json_text.h"
#include "expose/targets_selection.h"
#include "metric/catalogue.h"
#include "metric/roster.h"

/* Lines of a kind, of which one target may have fewer: there may be more than one target has. */
static int add_lines(struct breakdown *lines, const struct breakdown *of)
{
    const uint64_t nothing[KEYED_TALLIES + KEYED_DISTRIBUTIONS * (KEYED_BUCKETS + 1)] = {0};
    int r = 0;

    for (size_t i = 0; i < of->n_lines && r == 0; i++)
        r = breakdown_add(lines, &of->lines[i], nothing);
    return r;
}

/* What has no label has one line, which is 0 before anything was counted. */
static int make_lines(const struct keyed_columns *columns,
                      const struct targets_selection *selection, enum breakdown_kind kind,
                      struct breakdown **ret_lines)
{
    const struct roster *roster = columns->snapshot->roster;
    const struct roster_part *part = &roster->parts[columns->plan];
    const char *prefix = roster->catalogue->plans[columns->plan]->prefix;
    AUTO(breakdown) struct breakdown *lines = breakdown_new(kind);
    int r = lines ? 0 : -ENOMEM;

    if (r == 0 && !breakdown_shapes[kind].label_names[0]) {
        const struct breakdown_line only = {0};
        const uint64_t nothing[KEYED_TALLIES + KEYED_DISTRIBUTIONS * (KEYED_BUCKETS + 1)] = {0};

        r = breakdown_add(lines, &only, nothing);
    }
    for (size_t i = 0; i < columns->snapshot->n_breakdowns && r == 0; i++) {
        const struct snapshot_breakdown *of = &columns->snapshot->breakdowns[i];

        if (of->plan == columns->plan && of->breakdown->kind == kind &&
            targets_selection_has(selection, prefix, part->identities[of->target]))
            r = add_lines(lines, of->breakdown);
    }
    if (r == 0)
        *ret_lines = TAKE(lines);
    return r;
}

int keyed_columns_init(struct keyed_columns *columns, const struct targets_selection *selection,
                       const struct snapshot *snapshot, size_t plan)
{
    const struct plan *shown = snapshot->roster->catalogue->plans[plan];
    int r = 0;

    *columns = (struct keyed_columns){.snapshot = snapshot, .plan = plan};
    columns->families = calloc(shown->n_breakdowns + 1, sizeof(*columns->families));
    if (!columns->families)
        return -ENOMEM;
    for (size_t i = 0; i < shown->n_breakdowns && r == 0; i++) {
        const struct plan_breakdown *breakdown = &shown->breakdowns[i];
        struct keyed_family family = {.family = breakdown};

        family.has_values = targets_selection_names(selection, breakdown->name, "");
        family.has_sum = breakdown->type == FAMILY_HISTOGRAM &&
                         targets_selection_names(selection, breakdown->name, "_sum");
        if (plan_sums_breakdown(breakdown->kind) || !(family.has_values || family.has_sum))
            continue;
        r = make_lines(columns, selection, breakdown->kind, &family.lines);
        columns->families[columns->n++] = family;
    }
    return r;
}

void keyed_columns_done(struct keyed_columns *columns)
{
    for (size_t i = 0; i < columns->n; i++)
        (void)breakdown_unref(columns->families[i].lines);
    free(columns->families);
    *columns = (struct keyed_columns){0};
}

static void append_head(struct text *text, const struct keyed_family *family, size_t line,
                        const char *ending, const struct text *le)
{
    const struct breakdown_shape *shape = &breakdown_shapes[family->family->kind];

    text_append_format(text, "{\"name\":\"%s%s\",\"type\":\"counter\"", family->family->name,
                       ending);
    if (le)
        text_append_format(text, ",\"le\":\"%.*s\"", (int)le->length, le->data);
    for (size_t i = 0; i < ARRAY_SIZE(shape->label_names) && shape->label_names[i]; i++) {
        text_append_char(text, ',');
        json_append_pair(text, shape->label_names[i], family->lines->lines[line].labels[i]);
    }
    text_append_char(text, '}');
}

static void append_between(struct text *text, bool *is_behind)
{
    if (*is_behind)
        text_append_char(text, ',');
    *is_behind = true;
}

static void append_heads(struct text *text, const struct keyed_family *family, size_t line,
                         bool *is_behind)
{
    const bool is_counter = family->family->type == FAMILY_COUNTER;
    const struct latency_layout *layout = &breakdown_shapes[family->family->kind].distributions;
    AUTO_TEXT struct text le = {0};

    for (size_t i = 0; !is_counter && family->has_values && i < layout->n; i++) {
        text_clear(&le);
        plan_append_limit(&le, layout, i);
        append_between(text, is_behind);
        append_head(text, family, line, "", &le);
    }
    if (is_counter || family->has_sum) {
        append_between(text, is_behind);
        append_head(text, family, line, is_counter ? "" : "_sum", NULL);
    }
    text->failed |= le.failed;
}

void keyed_columns_append_heads(struct text *text, const struct keyed_columns *columns,
                                bool is_behind)
{
    for (size_t i = 0; i < columns->n; i++)
        for (size_t line = 0; line < columns->families[i].lines->n_lines; line++)
            append_heads(text, &columns->families[i], line, &is_behind);
}

static const struct breakdown *find_breakdown(const struct keyed_columns *columns, size_t target,
                                              enum breakdown_kind kind)
{
    for (size_t i = 0; i < columns->snapshot->n_breakdowns; i++) {
        const struct snapshot_breakdown *of = &columns->snapshot->breakdowns[i];

        if (of->plan == columns->plan && of->target == target && of->breakdown->kind == kind)
            return of->breakdown;
    }
    return NULL;
}

/* What a target has counted, by the lines of the columns. NULL: there is no memory. */
static struct breakdown *line_up(const struct breakdown *lines, const struct breakdown *counted)
{
    AUTO(breakdown) struct breakdown *sum = breakdown_new(lines->kind);

    if (!sum || add_lines(sum, lines) < 0 || (counted && breakdown_add_all(sum, counted) < 0))
        return NULL;
    return TAKE(sum);
}

static void append_values(struct text *text, const struct keyed_family *family,
                          const uint64_t *numbers, bool *is_behind)
{
    const struct plan_breakdown *shown = family->family;
    const bool is_counter = shown->type == FAMILY_COUNTER;
    const size_t n = is_counter ? 1 : breakdown_shapes[shown->kind].distributions.n;

    for (size_t i = 0; family->has_values && i < n; i++) {
        append_between(text, is_behind);
        text_append_u64(text, numbers[shown->first + i]);
    }
    if (!family->has_sum)
        return;
    append_between(text, is_behind);
    text_append_seconds(text, numbers[shown->first + n]);
}

void keyed_columns_append_values(struct text *text, const struct keyed_columns *columns,
                                 size_t target, bool is_behind)
{
    for (size_t i = 0; i < columns->n; i++) {
        const struct keyed_family *family = &columns->families[i];
        const enum breakdown_kind kind = family->family->kind;
        AUTO(breakdown)
        struct breakdown *counted = line_up(family->lines, find_breakdown(columns, target, kind));

        text->failed |= !counted;
        for (size_t line = 0; counted && line < counted->n_lines; line++)
            append_values(text, family, &counted->numbers[line * breakdown_numbers(kind)],
                          &is_behind);
    }
}
