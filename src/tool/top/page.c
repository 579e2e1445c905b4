/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "client/client.h"

/* The kinds of tables. The CPUs of a machine that is counted by CPU add up to the machine. */
static const struct kind {
    const char *name;
    enum top_kind kind;
    const char *label;    /* its value is the name of a target; NULL: the target is the machine */
    const char *expected; /* what is wrong where it is missing */
} kinds[] = {
    {"machine", TOP_MACHINE, NULL, NULL},
    {"cpu", TOP_MACHINE, NULL, NULL},
    {"cgroup", TOP_CGROUP, "cgroup", "expected the label \"cgroup\" in a row"},
    {"process", TOP_PROCESS, "groupname", "expected the label \"groupname\" in a row"},
};

#define MOST_COLUMNS 4096

enum meaning { IS_NOTHING, IS_INPUT, IS_START, IS_MEMBERS, IS_CPUS };

/* What the columns of a table are for us. */
struct columns {
    unsigned char meanings[MOST_COLUMNS];
    unsigned char inputs[MOST_COLUMNS]; /* of those that mean IS_INPUT */
};

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

static int read_columns(const struct pmu_table *table, const struct kind *kind,
                        struct columns *ret_columns, const char **ret_expected)
{
    if (table->n_columns > MOST_COLUMNS) {
        *ret_expected = "expected a list of at most 4096 columns in a table";
        return -EPROTO;
    }
    memset(ret_columns, 0, sizeof(*ret_columns));
    for (size_t i = 0; i < table->n_columns; i++) {
        const char *const rest = skip_prefix(table->columns[i].name, kind->name);

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

static int read_row(struct top_page *page, const struct pmu_table *table, size_t row,
                    const struct kind *kind, const struct columns *columns, size_t *capacity,
                    const char **ret_expected)
{
    const struct pmu_row *const of = &table->rows[row];
    const char *const name = kind->label ? pmu_row_label(of, kind->label) : "";
    struct top_reading *reading;

    if (!name) {
        *ret_expected = kind->expected;
        return -EPROTO;
    }
    reading = kind->label ? add_reading(page, kind->kind, name, capacity)
                          : machine_reading(page, capacity);
    if (!reading)
        return -ENOMEM;
    for (size_t i = 0; i < table->n_columns; i++)
        take_value(page, reading, columns, i, of->values[i]);
    return 0;
}

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

static int read_table(struct top_page *page, const struct pmu_table *table, size_t *capacity,
                      const char **ret_expected)
{
    const struct kind *const kind = find_kind(table->kind);
    struct columns columns;
    int r;

    if (!kind)
        return 0;
    if (table->mechanism)
        (void)snprintf(page->mechanism, sizeof(page->mechanism), "%s", table->mechanism);
    r = read_columns(table, kind, &columns, ret_expected);
    for (size_t i = 0; i < table->n_rows && r >= 0; i++)
        r = read_row(page, table, i, kind, &columns, capacity, ret_expected);
    return r;
}

/* Tells what is not counted: "not counted: 3 cgroup (over_limit), 2 process (not_permitted)". */
static int tell_uncounted(struct top_page *page, const struct pmu_targets *targets)
{
    AUTO_TEXT struct text words = {0};
    AUTO_FREE char *shown = NULL;

    for (size_t i = 0; i < targets->n_uncounted; i++)
        text_append_format(&words, "%s%.0f %s (%s)", i == 0 ? "not counted: " : ", ",
                           targets->uncounted[i].targets, targets->uncounted[i].kind,
                           targets->uncounted[i].reason);
    shown = text_take(&words);
    if (!shown)
        return -ENOMEM;
    (void)snprintf(page->uncounted, sizeof(page->uncounted), "%s", shown);
    return 0;
}

static int read_page(struct top_page *page, const struct pmu_targets *targets,
                     const char **ret_expected)
{
    size_t capacity = 0;
    int r;

    page->process_started = targets->process_start_time_seconds;
    page->sequence = targets->sequence;
    page->taken = targets->taken_seconds;
    page->interval = targets->interval_seconds;
    page->stale = targets->stale;
    page->paused = targets->paused;
    r = tell_uncounted(page, targets);
    for (size_t i = 0; i < targets->n_tables && r >= 0; i++)
        r = read_table(page, &targets->tables[i], &capacity, ret_expected);
    return r;
}

int top_page_read(json_t *value, struct top_page *ret_page, const char **ret_expected)
{
    struct top_page page = {.root = json_incref(value), .cpus = NAN};
    struct pmu_targets *targets = NULL;
    int r = pmu_targets_read(value, &targets, ret_expected);

    if (r >= 0)
        r = read_page(&page, targets, ret_expected);
    (void)pmu_targets_free(targets);
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
