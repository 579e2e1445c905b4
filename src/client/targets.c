/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Columns, rows and values of all tables lie in an array each, which are counted before they are
 * filled: then nothing grows, and the parts of a table follow each other.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"

/* What belongs to the targets that a caller sees. */
struct parts {
    struct pmu_targets targets; /* comes first: a pointer to it is one to this */
    struct pmu_table *tables;
    struct pmu_column *columns;
    struct pmu_row *rows;
    double *values;
    struct pmu_uncounted *uncounted;
};

struct sizes {
    size_t columns, rows, values;
};

static int refuse(const char **ret_expected, const char *expected)
{
    *ret_expected = expected;
    return -EPROTO;
}

static int count_row(const json_t *row, size_t n_columns, const char **ret_expected)
{
    const json_t *const values = json_object_get(row, "values"), *value;
    size_t i;

    if (!json_is_array(values) || json_array_size(values) != n_columns)
        return refuse(ret_expected, "expected as many values in a row as the table has columns");
    json_array_foreach(values, i, value)
    {
        if (!json_is_number(value) && !json_is_null(value))
            return refuse(ret_expected, "expected numbers and null as the values of a row");
    }
    return 0;
}

/* Checks a table, and adds what it takes. */
static int count_table(const json_t *table, struct sizes *sizes, const char **ret_expected)
{
    const json_t *const columns = json_object_get(table, "columns");
    const json_t *const rows = json_object_get(table, "rows"), *item;
    size_t i;

    if (!json_is_string(json_object_get(table, "kind")) || !json_is_array(rows))
        return refuse(ret_expected, "expected a kind and a list of rows in each table");
    if (!json_is_array(columns))
        return refuse(ret_expected, "expected a list of columns in each table");
    json_array_foreach(columns, i, item)
    {
        if (!json_is_string(json_object_get(item, "name")))
            return refuse(ret_expected, "expected a name for each column");
    }
    json_array_foreach(rows, i, item)
    {
        const int r = count_row(item, json_array_size(columns), ret_expected);

        if (r < 0)
            return r;
    }
    sizes->columns += json_array_size(columns);
    sizes->rows += json_array_size(rows);
    sizes->values += json_array_size(columns) * json_array_size(rows);
    return 0;
}

static int count_all(const json_t *value, struct sizes *sizes, const char **ret_expected)
{
    const json_t *const tables = json_object_get(value, "tables"), *item;
    size_t i;

    if (!json_is_array(tables))
        return refuse(ret_expected, "expected a list of tables");
    json_array_foreach(tables, i, item)
    {
        const int r = count_table(item, sizes, ret_expected);

        if (r < 0)
            return r;
    }
    return 0;
}

static int read_head(const json_t *value, struct pmu_targets *targets, const char **ret_expected)
{
    const struct {
        const char *key, *expected;
        double *number;
    } numbers[] = {
        {"process_start_time_seconds", "expected a number for \"process_start_time_seconds\"",
         &targets->process_start_time_seconds},
        {"sequence", "expected a number for \"sequence\"", &targets->sequence},
        {"taken_seconds", "expected a number for \"taken_seconds\"", &targets->taken_seconds},
        {"interval_seconds", "expected a number for \"interval_seconds\"",
         &targets->interval_seconds},
    };
    const json_t *const realtime = json_object_get(value, "taken_realtime_seconds");

    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        const json_t *const number = json_object_get(value, numbers[i].key);

        if (!json_is_number(number))
            return refuse(ret_expected, numbers[i].expected);
        *numbers[i].number = json_number_value(number);
    }
    targets->taken_realtime_seconds = json_is_number(realtime) ? json_number_value(realtime) : NAN;
    targets->stale = json_is_true(json_object_get(value, "stale"));
    targets->paused = json_is_true(json_object_get(value, "paused"));
    return 0;
}

static int read_uncounted(const json_t *value, struct parts *parts, const char **ret_expected)
{
    const json_t *const list = json_object_get(value, "uncounted"), *item;
    size_t i;

    parts->uncounted = calloc(json_array_size(list) + 1, sizeof(*parts->uncounted));
    if (!parts->uncounted)
        return -ENOMEM;
    json_array_foreach(list, i, item)
    {
        const char *const kind = json_string_value(json_object_get(item, "kind"));
        const char *const reason = json_string_value(json_object_get(item, "reason"));

        if (!kind || !reason)
            return refuse(ret_expected, "expected a kind and a reason for what is not counted");
        parts->uncounted[i] = (struct pmu_uncounted){
            kind, reason, json_number_value(json_object_get(item, "targets"))};
    }
    parts->targets.uncounted = parts->uncounted;
    parts->targets.n_uncounted = json_array_size(list);
    return 0;
}

static void fill_column(const json_t *column, struct pmu_column *ret_column)
{
    const char *const type = json_string_value(json_object_get(column, "type"));

    *ret_column = (struct pmu_column){
        .name = json_string_value(json_object_get(column, "name")),
        .group = json_string_value(json_object_get(column, "group")),
        .is_counter = type && strcmp(type, "counter") == 0,
    };
}

static void fill_row(const json_t *row, double *values, struct pmu_row *ret_row)
{
    const json_t *value;
    size_t i;

    *ret_row = (struct pmu_row){.labels = json_object_get(row, "labels"),
                                .info = json_object_get(row, "info"),
                                .values = values};
    json_array_foreach(json_object_get(row, "values"), i, value)
    {
        values[i] = json_is_number(value) ? json_number_value(value) : NAN;
    }
}

/* Fills a table, which was checked, behind those that are filled. */
static void fill_table(struct parts *parts, const json_t *table, struct sizes *filled)
{
    const json_t *const columns = json_object_get(table, "columns");
    const json_t *const rows = json_object_get(table, "rows"), *item;
    size_t i;

    parts->tables[parts->targets.n_tables++] = (struct pmu_table){
        .kind = json_string_value(json_object_get(table, "kind")),
        .mechanism = json_string_value(json_object_get(table, "mechanism")),
        .columns = parts->columns + filled->columns,
        .n_columns = json_array_size(columns),
        .rows = parts->rows + filled->rows,
        .n_rows = json_array_size(rows),
    };
    json_array_foreach(columns, i, item)
    {
        fill_column(item, &parts->columns[filled->columns++]);
    }
    json_array_foreach(rows, i, item)
    {
        fill_row(item, parts->values + filled->values, &parts->rows[filled->rows++]);
        filled->values += json_array_size(columns);
    }
}

static int read_tables(const json_t *value, struct parts *parts, const char **ret_expected)
{
    const json_t *const tables = json_object_get(value, "tables"), *item;
    struct sizes sizes = {0}, filled = {0};
    size_t i;
    int r = count_all(value, &sizes, ret_expected);

    if (r < 0)
        return r;
    parts->tables = calloc(json_array_size(tables) + 1, sizeof(*parts->tables));
    parts->columns = calloc(sizes.columns + 1, sizeof(*parts->columns));
    parts->rows = calloc(sizes.rows + 1, sizeof(*parts->rows));
    parts->values = calloc(sizes.values + 1, sizeof(*parts->values));
    if (!parts->tables || !parts->columns || !parts->rows || !parts->values)
        return -ENOMEM;
    parts->targets.tables = parts->tables;
    json_array_foreach(tables, i, item)
    {
        fill_table(parts, item, &filled);
    }
    return 0;
}

int pmu_targets_read(const json_t *value, struct pmu_targets **ret_targets,
                     const char **ret_expected)
{
    struct parts *const parts = calloc(1, sizeof(*parts));
    int r;

    if (!parts)
        return -ENOMEM;
    r = read_head(value, &parts->targets, ret_expected);
    if (r >= 0)
        r = read_uncounted(value, parts, ret_expected);
    if (r >= 0)
        r = read_tables(value, parts, ret_expected);
    if (r < 0) {
        (void)pmu_targets_free(&parts->targets);
        return r;
    }
    *ret_targets = &parts->targets;
    return 0;
}

struct pmu_targets *pmu_targets_free(struct pmu_targets *targets)
{
    struct parts *const parts = (struct parts *)targets;

    if (!parts)
        return NULL;
    free(parts->tables);
    free(parts->columns);
    free(parts->rows);
    free(parts->values);
    free(parts->uncounted);
    free(parts);
    return NULL;
}

const char *pmu_row_label(const struct pmu_row *row, const char *name)
{
    return json_string_value(json_object_get(row->labels, name));
}
