/* SPDX-License-Identifier: Apache-2.0 */

/* The instructions of a function, with the share of its samples that each has. */
#include <errno.h>
#include <string.h>

#include "tool/profile/head.h"
#include "tool/profile/show.h"
#include "tool/table.h"

/* An instruction with such a share of the samples of its function is hot, as in perf annotate. */
#define HOT 0.05

static void append_head(struct text *out, const json_t *answer, const char *target,
                        const struct profile_head *head)
{
    const double all = json_number_value(json_object_get(answer, "all"));
    const double elsewhere = json_number_value(json_object_get(answer, "elsewhere"));
    const char *name = json_string_value(json_object_get(answer, "name"));
    const char *owner = json_string_value(json_object_get(answer, "owner"));

    (void)terminal_append_shown(out, name ? name : "", 0);
    text_append_string(out, " of ");
    (void)terminal_append_shown(out, owner ? owner : "", 0);
    text_append_string(out, " in ");
    profile_append_range(out, target, head);
    text_append_format(out, "\n%.0f samples at %.4g Hz in the function itself", head->samples,
                       head->rate);
    if (all > 0)
        text_append_format(out, ", %.4g %% of all\n", head->samples * 100 / all);
    else
        text_append_char(out, '\n');
    if (elsewhere > 0)
        text_append_format(out, "%.0f more were taken in other functions of that name (--owner)\n",
                           elsewhere);
    text_append_string(out, "a sample may be taken one instruction behind the one that took the "
                            "time\n\n");
}

/* The name of the file, without its directories, and the line; "" where that is not known. */
static void append_source(struct text *out, const json_t *files,
                          const struct profile_columns *instructions, size_t i)
{
    const double line = profile_number(instructions, "line", i);
    const char *path =
        json_string_value(json_array_get(files, profile_place(instructions, "file", i)));
    const char *slash = path ? strrchr(path, '/') : NULL;

    if (path && line > 0)
        text_append_format(out, "%s:%.0f", slash ? slash + 1 : path, line);
}

/* A line of source code is named where its instructions begin. */
static bool is_of_same_line(const struct profile_columns *instructions, size_t i)
{
    return i > 0 &&
           profile_number(instructions, "line", i) == profile_number(instructions, "line", i - 1) &&
           profile_place(instructions, "file", i) == profile_place(instructions, "file", i - 1);
}

static int add_row(struct table *table, const json_t *files,
                   const struct profile_columns *instructions, size_t i)
{
    const double share = profile_number(instructions, "share", i);
    const enum style style = share >= HOT ? STYLE_BAD : STYLE_PLAIN;
    AUTO_TEXT struct text source = {0};

    if (!is_of_same_line(instructions, i))
        append_source(&source, files, instructions, i);
    text_append_char(&source, '\0');
    if (text_error(&source) < 0)
        return -ENOMEM;
    if (share > 0) {
        table_add_format(table, style, "%.2f", share * 100);
        table_add_format(table, STYLE_FAINT, "%.2f",
                         profile_number(instructions, "sigma", i) * 100);
    } else {
        table_add(table, "", STYLE_PLAIN);
        table_add(table, "", STYLE_PLAIN);
    }
    table_add(table, profile_word(instructions, "address", i), STYLE_FAINT);
    table_add(table, profile_word(instructions, "text", i), style);
    table_add(table, source.data, STYLE_FAINT);
    return 0;
}

int profile_show_annotation(const json_t *answer, const char *target,
                            const struct terminal *terminal, struct text *out)
{
    static const struct table_column titles[] = {
        {.title = "SHARE %", .is_right = true},
        {.title = "+-", .is_right = true},
        {.title = "ADDRESS", .is_right = true},
        {.title = "INSTRUCTION", .may_be_cut = true},
        {.title = "SOURCE"},
    };
    AUTO(table) struct table *table = NULL;
    struct profile_columns instructions;
    struct profile_head head;
    int r = 0;

    if (profile_head_read(answer, &head) < 0 ||
        profile_columns_read(answer, "instructions", &instructions) < 0)
        return -EPROTO;
    table = table_new(titles, ARRAY_SIZE(titles));
    if (!table)
        return -ENOMEM;
    for (size_t i = 0; r == 0 && i < instructions.n; i++)
        r = add_row(table, json_object_get(answer, "files"), &instructions, i);
    if (r < 0)
        return r;
    append_head(out, answer, target, &head);
    if (table_write(table, terminal, out) < 0)
        return -ENOMEM;
    return text_error(out);
}
