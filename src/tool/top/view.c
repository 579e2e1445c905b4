/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tool/top/name.h"
#include "tool/top/tree.h"

static int compare_lines(const void *a, const void *b, void *settings)
{
    return top_line_compare(settings, a, b);
}

static bool is_wanted_kind(const struct top_row *row, enum top_show show)
{
    switch (row->kind) {
    case TOP_CGROUP:
        return show != TOP_SHOW_PROCESSES;
    case TOP_PROCESS:
        return show != TOP_SHOW_CGROUPS;
    default:
        return false;
    }
}

/* What was not known to run does not count as idle. */
static bool is_idle(const struct top_row *row)
{
    return row->growth[TOP_CPU_SECONDS] <= 0;
}

/* Returns the raw bytes of a row's name, or NULL if there is no memory. */
static char *raw_name(const struct top_row *row)
{
    struct text text = {0};

    if (row->kind == TOP_CGROUP)
        top_name_append_raw(&text, top_row_name(row));
    else
        text_append_string(&text, top_row_name(row));
    return text_take(&text);
}

void top_view_done(struct top_view *view)
{
    for (size_t i = 0; i < view->n; i++)
        free(view->lines[i].name);
    free(view->lines);
    *view = (struct top_view){0};
}

/* Appends a line for the row if it is to be shown. Returns 0 or -ENOMEM. */
static int add_line(struct top_view *view, const struct top_row *row,
                    const struct top_settings *settings)
{
    AUTO_FREE char *name = NULL;
    struct top_line *line;

    if (!is_wanted_kind(row, settings->show) || (settings->hide_idle && is_idle(row)))
        return 0;
    name = raw_name(row);
    if (!name)
        return -ENOMEM;
    if (!strcasestr(name, settings->filter))
        return 0;
    line = &view->lines[view->n++];
    *line = (struct top_line){.row = row, .name = TAKE(name), .parent = SIZE_MAX};
    memcpy(line->values, row->values, sizeof(line->values));
    return 0;
}

int top_view_make(const struct top_rows *rows, const struct top_settings *settings,
                  struct top_view *ret_view)
{
    struct top_view view = {
        .lines = calloc(HASH_COUNT(rows->hash) + 1, sizeof(struct top_line)),
    };
    const struct top_row *row;
    int r = view.lines ? 0 : -ENOMEM;

    *ret_view = (struct top_view){0};
    for (row = rows->hash; r >= 0 && row; row = row->hh.next)
        r = add_line(&view, row, settings);
    if (r >= 0 && settings->tree)
        r = top_tree_make(rows->seconds, settings, &view.lines, &view.n);
    else if (r >= 0)
        qsort_r(view.lines, view.n, sizeof(*view.lines), compare_lines,
                (void *)(uintptr_t)settings);
    if (r < 0)
        top_view_done(&view);
    else
        *ret_view = view;
    return r;
}
