/* SPDX-License-Identifier: Apache-2.0 */

/* The functions of a profile: where samples ended, and where they passed through. */
#include <errno.h>

#include "profile/share.h"
#include "tool/profile/head.h"
#include "tool/profile/show.h"
#include "tool/table.h"

#define HEAD_LINES 5 /* with an empty line, and the titles */

/* The share of all that a row has itself, or with what it calls: of events by their number, since
 * samples of equal weight are whole, and few. */
static double self_share(const struct profile_columns *table, size_t i,
                         const struct profile_head *head)
{
    return head->event ? profile_number(table, "self_events", i) / head->events
                       : profile_number(table, "self", i) / head->samples;
}

static double total_share(const struct profile_columns *table, size_t i,
                          const struct profile_head *head)
{
    return head->event ? profile_number(table, "total_events", i) / head->events
                       : profile_number(table, "total", i) / head->samples;
}

static double count_not_whole(const struct profile_columns *table, const struct profile_head *head)
{
    double sum = 0;

    for (size_t i = 0; i < table->n; i++)
        if (profile_is_end_note(profile_word(table, "kind", i), profile_word(table, "name", i)))
            sum += total_share(table, i, head) * head->samples;
    return sum;
}

static void add_row(struct table *table, const struct profile_columns *columns, size_t i,
                    const struct profile_head *head)
{
    const double share = self_share(columns, i, head), samples = head->samples;
    const bool is_note = *profile_word(columns, "kind", i) == 'n';

    table_add_format(table, STYLE_PLAIN, "%.2f", share * 100);
    table_add_format(table, STYLE_FAINT, "%.2f",
                     profile_share_sigma(share * samples, samples) * 100);
    if (head->event)
        table_add_format(table, STYLE_PLAIN, "%.0f", profile_number(columns, "self_events", i));
    else
        table_add_format(table, STYLE_PLAIN, "%.2f", profile_number(columns, "self_seconds", i));
    table_add_format(table, STYLE_PLAIN, "%.2f", total_share(columns, i, head) * 100);
    table_add(table, profile_word(columns, "name", i), is_note ? STYLE_FAINT : STYLE_PLAIN);
    table_add(table, profile_word(columns, "owner", i), STYLE_FAINT);
}

int profile_show_table(const json_t *answer, const struct profile_options *options,
                       const struct terminal *terminal, struct text *out)
{
    struct table_column titles[] = {
        {.title = "SELF %", .is_right = true},     {.title = "+-", .is_right = true},
        {.title = "SELF s", .is_right = true},     {.title = "TOTAL %", .is_right = true},
        {.title = "FUNCTION", .may_be_cut = true}, {.title = "OWNER", .may_be_cut = true},
    };
    struct table_column *const amounts = &titles[2];
    const size_t lines = profile_lines(options, terminal, HEAD_LINES);
    AUTO(table) struct table *table = NULL;
    struct profile_columns rows;
    struct profile_head head;
    size_t shown;

    if (profile_head_read(answer, &head) < 0 || profile_columns_read(answer, "table", &rows) < 0)
        return -EPROTO;
    if (!(head.samples > 0) || (head.event && !(head.events > 0)))
        return -ENODATA;
    if (head.event)
        amounts->title = "SELF";
    table = table_new(titles, ARRAY_SIZE(titles));
    if (!table)
        return -ENOMEM;
    shown = rows.n < lines ? rows.n : lines;
    for (size_t i = 0; i < shown; i++)
        add_row(table, &rows, i, &head);
    profile_append_head(out, options->target, &head, count_not_whole(&rows, &head));
    text_append_char(out, '\n');
    if (table_write(table, terminal, out) < 0)
        return -ENOMEM;
    profile_append_more(out, rows.n - shown, "function");
    return text_error(out);
}
