/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

/* The kinds of tables. The CPUs of a machine that is counted by CPU add up to the machine. */
static const struct kind {
    const char *name;
    enum top_kind kind;
    const char *label; /* its value is the name of a target; NULL: the target is the machine */
} kinds[] = {
    {"machine", TOP_MACHINE, NULL},
    {"cpu", TOP_MACHINE, NULL},
    {"cgroup", TOP_CGROUP, "cgroup"},
    {"process", TOP_PROCESS, "groupname"},
};

#define MOST_COLUMNS 4096

enum meaning { IS_NOTHING, IS_INPUT, IS_START, IS_MEMBERS, IS_CPUS };

/* What the columns of a table are for us. */
struct columns {
    unsigned char meanings[MOST_COLUMNS];
    unsigned char inputs[MOST_COLUMNS]; /* of those that mean IS_INPUT */
    size_t n;
};

static int refuse(struct text *why, const char *expected)
{
    text_append_string(why, expected);
    return -EINVAL;
}

static int read_number(const json_t *object, const char *key, struct text *why, double *ret_number)
{
    const json_t *number = json_object_get(object, key);

    if (!json_is_number(number)) {
        text_append_format(why, "expected a number for \"%s\"", key);
        return -EINVAL;
    }
    *ret_number = json_number_value(number);
    return 0;
}

/* A name is "pmu_", the kind, "_" and what it is of a target of that kind. */
static const char *skip_prefix(const char *name, const char *kind)
{
    const size_t length = strlen(kind);

    if (strncmp(name, "pmu_", 4) != 0 || strncmp(name + 4, kind, length) != 0 ||
        name[4 + length] != '_')
        return NULL;
    return name + 4 + length + 1;
}

static void understand(const char *name, struct columns *columns, size_t index)
{
    const enum top_input input = top_input_find(name);

    columns->inputs[index] = (unsigned char)input;
    if (input != N_TOP_INPUTS)
        columns->meanings[index] = IS_INPUT;
    else if (strcmp(name, "start_time_seconds") == 0)
        columns->meanings[index] = IS_START;
    else if (strcmp(name, "members") == 0)
        columns->meanings[index] = IS_MEMBERS;
    else if (strcmp(name, "cpus") == 0)
        columns->meanings[index] = IS_CPUS;
}

static int read_columns(const json_t *table, const struct kind *kind, struct columns *ret_columns,
                        struct text *why)
{
    const json_t *list = json_object_get(table, "columns"), *column;
    size_t i;

    if (!json_is_array(list) || json_array_size(list) > MOST_COLUMNS)
        return refuse(why, "expected a list of at most 4096 columns in a table");
    memset(ret_columns, 0, sizeof(*ret_columns));
    ret_columns->n = json_array_size(list);
    json_array_foreach(list, i, column)
    {
        const char *name = json_string_value(json_object_get(column, "name")), *rest;

        if (!name)
            return refuse(why, "expected a name for each column");
        rest = skip_prefix(name, kind->name);
        if (rest)
            understand(rest, ret_columns, i);
    }
    return 0;
}

static void take_value(struct top_page *page, struct top_reading *reading,
                       const struct columns *columns, size_t index, double value)
{
    double *total;

    switch ((enum meaning)columns->meanings[index]) {
    case IS_NOTHING:
        break;
    case IS_INPUT: /* CPUs add up to the machine: what is known of some is known */
        total = &reading->totals[columns->inputs[index]];
        *total = isnan(*total) ? value : isnan(value) ? *total : *total + value;
        break;
    case IS_START:
        reading->started = value;
        break;
    case IS_MEMBERS:
        reading->members = value;
        break;
    case IS_CPUS:
        page->cpus = value;
        break;
    }
}

static int read_values(struct top_page *page, const json_t *row, const struct columns *columns,
                       struct top_reading *reading, struct text *why)
{
    const json_t *values = json_object_get(row, "values"), *value;
    size_t i;

    if (!json_is_array(values) || json_array_size(values) != columns->n)
        return refuse(why, "expected as many values in a row as the table has columns");
    json_array_foreach(values, i, value)
    {
        if (!json_is_number(value) && !json_is_null(value))
            return refuse(why, "expected numbers and null as the values of a row");
        take_value(page, reading, columns, i,
                   json_is_number(value) ? json_number_value(value) : NAN);
    }
    return 0;
}

static struct top_reading *add_reading(struct top_page *page, enum top_kind kind, const char *name,
                                       size_t *capacity)
{
    struct top_reading *const readings =
        array_reserve(page->readings, sizeof(*readings), capacity, page->n + 1);
    struct top_reading *reading;

    if (!readings)
        return NULL;
    page->readings = readings;
    reading = &page->readings[page->n++];
    *reading = (struct top_reading){.kind = kind, .name = name, .started = NAN, .members = NAN};
    for (size_t i = 0; i < N_TOP_INPUTS; i++)
        reading->totals[i] = NAN;
    return reading;
}

/* The rows of the machine, or of its CPUs, are all one reading. */
static struct top_reading *machine_reading(struct top_page *page, size_t *capacity)
{
    for (size_t i = 0; i < page->n; i++)
        if (page->readings[i].kind == TOP_MACHINE)
            return &page->readings[i];
    return add_reading(page, TOP_MACHINE, "", capacity);
}

static int read_row(struct top_page *page, const json_t *row, const struct kind *kind,
                    const struct columns *columns, size_t *capacity, struct text *why)
{
    const char *name = "";
    struct top_reading *reading;

    if (kind->label) {
        name = json_string_value(json_object_get(json_object_get(row, "labels"), kind->label));
        if (!name) {
            text_append_format(why, "expected the label \"%s\" in a row", kind->label);
            return -EINVAL;
        }
    }
    reading = kind->label ? add_reading(page, kind->kind, name, capacity)
                          : machine_reading(page, capacity);
    return reading ? read_values(page, row, columns, reading, why) : -ENOMEM;
}

static void read_mechanism(struct top_page *page, const json_t *table)
{
    const char *mechanism = json_string_value(json_object_get(table, "mechanism"));

    if (mechanism)
        (void)snprintf(page->mechanism, sizeof(page->mechanism), "%s", mechanism);
}

static int read_table(struct top_page *page, const json_t *table, size_t *capacity,
                      struct text *why)
{
    const char *name = json_string_value(json_object_get(table, "kind"));
    const json_t *rows = json_object_get(table, "rows"), *row;
    const struct kind *kind = NULL;
    struct columns columns;
    size_t i;
    int r;

    if (!name || !json_is_array(rows))
        return refuse(why, "expected a kind and a list of rows in each table");
    for (i = 0; i < ARRAY_SIZE(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            kind = &kinds[i];
    if (!kind)
        return 0;
    read_mechanism(page, table);
    r = read_columns(table, kind, &columns, why);
    if (r < 0)
        return r;
    json_array_foreach(rows, i, row)
    {
        r = read_row(page, row, kind, &columns, capacity, why);
        if (r < 0)
            return r;
    }
    return 0;
}

static int read_head(struct top_page *page, struct text *why)
{
    const struct {
        const char *key;
        double *number;
    } numbers[] = {
        {"process_start_time_seconds", &page->process_started},
        {"sequence", &page->sequence},
        {"taken_seconds", &page->taken},
        {"interval_seconds", &page->interval},
    };

    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        int r = read_number(page->root, numbers[i].key, why, numbers[i].number);

        if (r < 0)
            return r;
    }
    page->stale = json_is_true(json_object_get(page->root, "stale"));
    page->paused = json_is_true(json_object_get(page->root, "paused"));
    return 0;
}

/* Reads what is not counted: "not counted: 3 cgroup (over_limit), 2 process (not_permitted)". */
static int read_uncounted(struct top_page *page, struct text *why)
{
    const json_t *list = json_object_get(page->root, "uncounted"), *item;
    AUTO_TEXT struct text words = {0};
    AUTO_FREE char *shown = NULL;
    size_t i;

    if (json_array_size(list) == 0)
        return 0;
    json_array_foreach(list, i, item)
    {
        const char *kind = json_string_value(json_object_get(item, "kind"));
        const char *reason = json_string_value(json_object_get(item, "reason"));

        if (!kind || !reason)
            return refuse(why, "expected a kind and a reason for what is not counted");
        text_append_format(&words, "%s%.0f %s (%s)", i == 0 ? "not counted: " : ", ",
                           json_number_value(json_object_get(item, "targets")), kind, reason);
    }
    shown = text_take(&words);
    if (!shown)
        return -ENOMEM;
    (void)snprintf(page->uncounted, sizeof(page->uncounted), "%s", shown);
    return 0;
}

static int read_page(struct top_page *page, struct text *why)
{
    const json_t *tables = json_object_get(page->root, "tables"), *table;
    size_t i, capacity = 0;
    int r = read_head(page, why);

    if (r >= 0)
        r = read_uncounted(page, why);
    if (r < 0)
        return r;
    if (!json_is_array(tables))
        return refuse(why, "expected a list of tables");
    json_array_foreach(tables, i, table)
    {
        r = read_table(page, table, &capacity, why);
        if (r < 0)
            return r;
    }
    return 0;
}

int top_page_parse(const char *text, size_t length, struct top_page *ret_page, struct text *why)
{
    struct top_page page = {.cpus = NAN};
    json_error_t error;
    int r;

    /*
     * A count may be larger than what jansson's integers hold. As a double it loses less than one
     * part in 10^15, and what is shown has three digits.
     */
    page.root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (!page.root) {
        if (json_error_code(&error) == json_error_out_of_memory)
            return -ENOMEM;
        text_append_format(why, "%s at byte %d", error.text, error.position);
        return -EINVAL;
    }
    r = read_page(&page, why);
    if (r < 0) {
        top_page_done(&page);
        return r;
    }
    *ret_page = page;
    return 0;
}

void top_page_done(struct top_page *page)
{
    json_decref(page->root);
    free(page->readings);
    *page = (struct top_page){0};
}
