/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What has changed from one profile to another, by functions. Only what is beyond chance has a
 * mark, and stands first: of a hundred functions that have not changed, some seem to.
 */
#include <errno.h>
#include <string.h>

#include "tool/profile/head.h"
#include "tool/profile/show.h"
#include "tool/table.h"

#define HEAD_LINES 8

struct comparison {
    struct profile_head sides[2];
    struct profile_columns rows, nodes, functions;
    double bound;
    bool is_time;
};

static int read_comparison(const json_t *answer, struct comparison *ret_comparison)
{
    struct comparison comparison = {.bound = json_number_value(json_object_get(answer, "bound"))};
    const char *measure = json_string_value(json_object_get(answer, "measure"));

    if (profile_head_read(json_object_get(answer, "before"), &comparison.sides[0]) < 0 ||
        profile_head_read(json_object_get(answer, "after"), &comparison.sides[1]) < 0 ||
        profile_columns_read(answer, "table", &comparison.rows) < 0 ||
        profile_columns_read(answer, "nodes", &comparison.nodes) < 0 ||
        profile_columns_read(answer, "functions", &comparison.functions) < 0)
        return -EPROTO;
    comparison.is_time = measure && strcmp(measure, "time") == 0;
    *ret_comparison = comparison;
    return 0;
}

/* How much of a side so many samples are: percent of all, or of one CPU. */
static double percent_of(const struct comparison *comparison, size_t side, double samples)
{
    const struct profile_head *head = &comparison->sides[side];
    const double seconds = head->to - head->from;

    if (!(head->samples > 0))
        return 0;
    if (!comparison->is_time)
        return samples * 100 / head->samples;
    return seconds > 0 ? samples / head->samples * head->cpu_seconds * 100 / seconds : 0;
}

static bool differs(const struct profile_columns *columns, size_t i)
{
    return profile_number(columns, "differs", i) > 0;
}

static size_t count_different(const struct profile_columns *columns)
{
    size_t n = 0;

    for (size_t i = 0; i < columns->n; i++)
        n += differs(columns, i);
    return n;
}

static void append_side(struct text *out, const char *word, const char *target,
                        const struct profile_head *head)
{
    text_append_format(out, "%s ", word);
    profile_append_range(out, target, head);
    text_append_format(out, ": %.0f samples%s\n", head->samples,
                       head->event ? " of equal weight" : "");
}

static void append_verdict(struct text *out, const struct comparison *comparison)
{
    const size_t functions = count_different(&comparison->rows);
    const size_t places = count_different(&comparison->nodes);

    if (functions == 0 && places == 0)
        text_append_string(out, "nothing differs: all changes may be chance\n");
    else
        text_append_format(out,
                           "functions that differ (+ or -): %zu, places of the call tree: %zu\n",
                           functions, places);
}

/* Of samples that were lost, functions are not known: the others have smaller shares for that. */
static void append_lost(struct text *out, const struct comparison *comparison)
{
    const struct profile_columns *rows = &comparison->rows;

    for (size_t i = 0; i < rows->n; i++) {
        const size_t function = profile_place(rows, "function", i);

        if (strcmp(profile_word(&comparison->functions, "kind", function), "note") == 0 &&
            strcmp(profile_word(&comparison->functions, "name", function), "[sample lost]") == 0)
            text_append_format(
                out,
                "samples that were lost: %.0f of the first, %.0f of the second; functions "
                "have smaller shares for that\n",
                profile_number(rows, "self_before", i), profile_number(rows, "self_after", i));
    }
}

static void append_head(struct text *out, const struct profile_options *options,
                        const struct comparison *comparison)
{
    const char *before = options->before_target ? options->before_target : options->target;

    append_side(out, options->is_of_two ? "A:" : "before:", before, &comparison->sides[0]);
    append_side(out, options->is_of_two ? "B:" : "after: ", options->target, &comparison->sides[1]);
    append_lost(out, comparison);
    text_append_format(out,
                       "what differs is beyond %.2g standard deviations, as chance alone is "
                       "once in 20 comparisons\n",
                       comparison->bound);
    append_verdict(out, comparison);
    for (size_t i = 0; i < 2; i++)
        if (comparison->sides[i].samples < PROFILE_COARSE) {
            profile_append_coarse(out, &comparison->sides[i]);
            break;
        }
    text_append_char(out, '\n');
}

static bool is_shown(const struct profile_columns *rows, size_t i)
{
    return profile_number(rows, "self_before", i) + profile_number(rows, "self_after", i) > 0;
}

static void add_row(struct table *table, const struct comparison *comparison, size_t i)
{
    const struct profile_columns *rows = &comparison->rows;
    const size_t function = profile_place(rows, "function", i);
    const double change = profile_number(rows, "change", i) * 100;
    const char *mark = !differs(rows, i) ? "" : change > 0 ? "+" : "-";
    const enum style style = !*mark ? STYLE_PLAIN : change > 0 ? STYLE_BAD : STYLE_GOOD;

    table_add(table, mark, style);
    table_add_format(table, STYLE_PLAIN, "%.2f",
                     percent_of(comparison, 0, profile_number(rows, "self_before", i)));
    table_add_format(table, STYLE_PLAIN, "%.2f",
                     percent_of(comparison, 1, profile_number(rows, "self_after", i)));
    table_add_format(table, style, "%+.2f", change);
    table_add_format(table, STYLE_FAINT, "%.2f", profile_number(rows, "sigma", i) * 100);
    table_add(table, profile_word(&comparison->functions, "name", function), STYLE_PLAIN);
    table_add(table, profile_word(&comparison->functions, "owner", function), STYLE_FAINT);
}

/* Who had no samples had no CPU time, which can be compared, but no shares of it either. */
static bool can_be_compared(const struct comparison *comparison)
{
    const double before = comparison->sides[0].samples, after = comparison->sides[1].samples;

    return comparison->is_time ? before + after > 0 : before > 0 && after > 0;
}

/* Adds those rows that differ, or those that do not; returns how many found no room. */
static size_t add_rows(struct table *table, const struct comparison *comparison, bool different,
                       size_t *room)
{
    size_t left_out = 0;

    for (size_t i = 0; i < comparison->rows.n; i++) {
        if (!is_shown(&comparison->rows, i) || differs(&comparison->rows, i) != different)
            continue;
        if (*room > 0) {
            add_row(table, comparison, i);
            (*room)--;
        } else {
            left_out++;
        }
    }
    return left_out;
}

int profile_show_difference(const json_t *answer, const struct profile_options *options,
                            const struct terminal *terminal, struct text *out)
{
    /* two targets of one time are neither before nor after each other */
    const struct table_column columns[] = {
        {.title = ""},
        {.title = options->is_of_two ? "A %" : "BEFORE %", .is_right = true},
        {.title = options->is_of_two ? "B %" : "AFTER %", .is_right = true},
        {.title = options->is_of_two ? "B - A" : "CHANGE", .is_right = true},
        {.title = "+-", .is_right = true},
        {.title = "FUNCTION", .may_be_cut = true},
        {.title = "OWNER", .may_be_cut = true},
    };
    size_t room = profile_lines(options, terminal, HEAD_LINES), left_out;
    AUTO(table) struct table *table = NULL;
    struct comparison comparison;

    if (read_comparison(answer, &comparison) < 0)
        return -EPROTO;
    if (!can_be_compared(&comparison))
        return -ENODATA;
    table = table_new(columns, ARRAY_SIZE(columns));
    if (!table)
        return -ENOMEM;
    left_out = add_rows(table, &comparison, true, &room);
    left_out += add_rows(table, &comparison, false, &room);
    append_head(out, options, &comparison);
    text_append_string(out, comparison.is_time
                                ? "CPU time of each function itself, in percent of "
                                  "one CPU:\n"
                                : "of all samples, those in each function itself:\n");
    if (table_write(table, terminal, out) < 0)
        return -ENOMEM;
    profile_append_more(out, left_out, "function");
    return text_error(out);
}
