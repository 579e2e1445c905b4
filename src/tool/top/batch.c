/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/batch.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include "tool/json.h"
#include "tool/safe_text.h"
#include "tool/top/cells.h"

static void append_right(struct text *text, const char *string, size_t n, size_t width)
{
    for (size_t i = n; i < width; i++)
        text_append_char(text, ' ');
    text_append(text, string, n);
}

static void append_number(struct text *text, double value, bool is_small)
{
    AUTO_TEXT struct text number = {0};

    top_cells_append_number(&number, value, is_small);
    text->failed |= number.failed;
    append_right(text, number.data ? number.data : "", number.length, TOP_CELL_WIDTH);
}

static void append_time(struct text *text, double now)
{
    const time_t seconds = (time_t)now;
    struct tm local;
    char shown[32] = "";

    if (localtime_r(&seconds, &local))
        (void)strftime(shown, sizeof(shown), "%Y-%m-%d %H:%M:%S", &local);
    text_append_string(text, shown);
}

static void append_machine(struct text *text, const struct top_rows *rows)
{
    const double used = rows->machine ? rows->machine->values[TOP_COLUMN_CPUS] : NAN;

    if (isnan(used))
        return;
    text_append_format(text, ", %.2f of %.0f CPUs used", used, rows->cpus);
}

static void append_about(struct text *text, const struct top_rows *rows,
                         const struct top_about *about)
{
    text_append_string(text, "pmutool top - ");
    append_time(text, about->now);
    text_append_string(text, ", ");
    text_append_string(text, about->source);
    if (*about->mechanism) {
        text_append_string(text, " (");
        safe_text_append(text, about->mechanism, strlen(about->mechanism));
        text_append_char(text, ')');
    }
    if (about->paused)
        text_append_string(text, ", hardware counters are paused");
    append_machine(text, rows);
    if (*about->uncounted) {
        text_append_string(text, ", ");
        safe_text_append(text, about->uncounted, strlen(about->uncounted));
    }
    text_append_format(text, ", over %.3f s\n", rows->seconds);
}

/* Appends what draws the tree before the name of a line: the branches of those above it. */
static void append_branches(struct text *text, const struct top_view *view, size_t index)
{
    for (size_t i = view->lines[index].parent; i != SIZE_MAX; i = view->lines[i].parent)
        text_append_string(text, "  ");
}

static void append_line(struct text *text, const struct top_rows *rows, const struct top_view *view,
                        size_t index)
{
    const struct top_line *line = &view->lines[index];

    for (enum top_column_id id = 0; id < N_TOP_COLUMNS; id++)
        if (top_rows_have(rows, id))
            append_number(text, line->values[id], top_columns[id].is_small);
    text_append_string(text, "  ");
    append_branches(text, view, index);
    safe_text_append(text, line->name, strlen(line->name));
    text_append_char(text, '\n');
}

void top_batch_append_table(struct text *text, const struct top_rows *rows,
                            const struct top_view *view, const struct top_about *about)
{
    append_about(text, rows, about);
    for (enum top_column_id id = 0; id < N_TOP_COLUMNS; id++)
        if (top_rows_have(rows, id))
            append_right(text, top_columns[id].title, strlen(top_columns[id].title),
                         TOP_CELL_WIDTH);
    text_append_string(text, "  NAME\n");
    for (size_t i = 0; i < view->n; i++)
        append_line(text, rows, view, i);
    if (view->n == 0)
        text_append_string(text, "no cgroup and no process is shown: the configuration's targets "
                                 "may match none here; --standalone counts all cgroups\n");
    text_append_char(text, '\n');
}

/* Sets the columns of a row. Returns 0 or -1. */
static int set_values(json_t *object, const double *values)
{
    int r = 0;

    for (enum top_column_id id = 0; id < N_TOP_COLUMNS; id++)
        r |= json_object_set_new(object, top_columns[id].name, json_of_double(values[id]));
    return r;
}

static json_t *target(const struct top_line *line)
{
    json_t *object = json_object();
    int r = json_object_set_new(object, "kind",
                                json_string(line->row->kind == TOP_CGROUP ? "cgroup" : "process"));

    r |= json_object_set_new(object, "name", json_of_text(top_row_name(line->row)));
    r |= set_values(object, line->values);
    if (r == 0)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *targets(const struct top_view *view)
{
    json_t *list = json_array();

    for (size_t i = 0; i < view->n; i++)
        if (view->lines[i].row && json_array_append_new(list, target(&view->lines[i])) < 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *machine(const struct top_rows *rows)
{
    json_t *object;

    if (!rows->machine)
        return json_null();
    object = json_object();
    if (json_object_set_new(object, "cpus_online", json_of_double(rows->cpus)) < 0 ||
        set_values(object, rows->machine->values) < 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

int top_batch_append_json(struct text *text, const struct top_rows *rows,
                          const struct top_view *view, const struct top_about *about)
{
    json_t *root = json_pack("{s:f, s:f, s:s, s:o, s:b, s:o, s:o, s:o}", "time", about->now,
                             "seconds", rows->seconds, "source", about->source, "mechanism",
                             json_of_text(about->mechanism), "paused", (int)about->paused,
                             "uncounted", json_of_text(about->uncounted), "machine", machine(rows),
                             "targets", targets(view));
    char *dump = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;

    json_decref(root);
    if (!dump)
        return -ENOMEM;
    text_append_string(text, dump);
    text_append_char(text, '\n');
    free(dump);
    return text_error(text);
}
