/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The layout of a plan has a series for each column that is a rate, a ratio, a coverage or a number
 * of CPUs used, and the totals that these need.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "history/layout.h"
#include "history/layout_bytes.h"

#define NONE SIZE_MAX

/* What is being made: the sources of the totals, and the series as they are stored. */
struct making {
    const struct plan *plan;
    struct total_source *sources;
    size_t n_sources;
    struct text series;
    size_t n_series;
};

static size_t find_number(const struct plan *plan, enum column_kind kind, size_t group,
                          size_t index)
{
    for (size_t i = 0; i < plan->n_described; i++)
        if (plan->columns[i].kind == kind && plan->columns[i].group == group &&
            plan->columns[i].index == index)
            return i;
    return NONE;
}

/* The first number that is absent where the target is not counted. */
static size_t find_any_marker(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n_described; i++)
        if (plan->columns[i].kind == COLUMN_GROUP_UNKNOWN)
            return i;
    return NONE;
}

static size_t find_marker(const struct plan *plan, const struct column *column)
{
    if (column->kind == COLUMN_CPU_TIME)
        return NONE;
    if (column->kind == COLUMN_LATENCY_TALLY)
        return find_any_marker(plan);
    return find_number(plan, COLUMN_GROUP_UNKNOWN, column->group, column->group);
}

/* The total of a row that this number becomes. Several series may need the same. */
static size_t want(struct making *making, size_t number)
{
    const struct column *column = &making->plan->columns[number];
    size_t i = 0;

    while (i < making->n_sources && making->sources[i].number != number)
        i++;
    if (i < making->n_sources)
        return i;
    making->sources[making->n_sources++] = (struct total_source){
        .number = number,
        .marker = find_marker(making->plan, column),
        .is_apart = column->kind == COLUMN_GROUP_ENABLED || column->kind == COLUMN_GROUP_RUNNING ||
                    column->kind == COLUMN_LATENCY_TALLY,
    };
    return i;
}

/* Begins a series that needs n totals, which are to follow. */
static void append_series(struct making *making, const struct column *column, enum series_kind kind,
                          double scale, size_t n)
{
    struct text *text = &making->series;

    layout_append_count(text, kind);
    layout_append_string(text, column->name);
    text_append_double(text, scale);
    text_append_char(text, '\0');
    for (size_t i = 0; i < COLUMN_LABELS; i++) {
        layout_append_string(text, column->labels[i].name ? column->labels[i].name : "");
        layout_append_string(text, column->labels[i].name ? column->labels[i].value : "");
    }
    layout_append_count(text, n);
    making->n_series++;
}

static void add_rate(struct making *making, const struct column *column, size_t number,
                     double scale)
{
    if (number == NONE)
        return;
    append_series(making, column, SERIES_RATE, scale, 1);
    layout_append_count(&making->series, want(making, number));
}

static void add_coverage(struct making *making, const struct column *column)
{
    const size_t enabled =
        find_number(making->plan, COLUMN_GROUP_ENABLED, column->group, column->index);
    const size_t running =
        find_number(making->plan, COLUMN_GROUP_RUNNING, column->group, column->index);

    if (enabled == NONE || running == NONE)
        return;
    append_series(making, column, SERIES_COVERAGE, 1, 2);
    layout_append_count(&making->series, want(making, enabled));
    layout_append_count(&making->series, want(making, running));
}

static void add_ratio(struct making *making, const struct column *column)
{
    const struct plan_term *terms;
    size_t n;
    const char *formula = plan_ratio_formula(making->plan, column->index, &terms, &n);

    append_series(making, column, SERIES_RATIO, 1, n);
    for (size_t i = 0; i < n; i++)
        layout_append_count(&making->series, want(making, terms[i].number));
    layout_append_string(&making->series, formula);
    for (size_t i = 0; i < n; i++)
        layout_append_string(&making->series, terms[i].name);
}

void layout_append_rate_name(struct text *text, const char *counter)
{
    text_append(text, counter, strlen(counter) - strlen("_total"));
    text_append_string(text, "_per_second");
}

/* A tally has no rate on /metrics, and so none with a name that could be taken here. */
static void add_tally(struct making *making, const struct column *column, size_t number)
{
    AUTO_TEXT struct text name = {0};
    struct column rate = *column;

    layout_append_rate_name(&name, column->name);
    text_append_char(&name, '\0');
    if (text_error(&name) < 0) {
        making->series.failed = true;
        return;
    }
    rate.name = name.data;
    add_rate(making, &rate, number, 1);
}

static void add_series(struct making *making, const struct column *column)
{
    const double second = 1 / (double)NS_PER_SECOND;

    switch (column->kind) {
    case COLUMN_RATE:
        add_rate(making, column,
                 find_number(making->plan, COLUMN_TOTAL, column->group, column->index),
                 column->scale);
        break;
    case COLUMN_CPUS_USED:
        add_rate(making, column,
                 find_number(making->plan, COLUMN_TOTAL, column->group, column->index), second);
        break;
    case COLUMN_CPU_TIME_RATE:
        add_rate(making, column,
                 find_number(making->plan, COLUMN_CPU_TIME, column->group, CPU_TIME_ALL), second);
        break;
    case COLUMN_LATENCY_TALLY:
        add_tally(making, column, (size_t)(column - making->plan->columns));
        break;
    case COLUMN_RATIO:
        add_ratio(making, column);
        break;
    case COLUMN_GROUP_COVERAGE:
        add_coverage(making, column);
        break;
    case COLUMN_PROFILE_SAMPLES: /* samples have a past of their own (profile/store.h) */
    case COLUMN_PROFILE_RATIO:   /* it is of minutes, not of the interval */
    default:
        break;
    }
}

/*
 * When the start time of a target changes, it is another birth. A group of processes has the start
 * of its oldest member there, and goes on when that ends.
 */
static size_t find_start(const struct plan *plan)
{
    if (find_number(plan, COLUMN_MEMBERS, 0, 0) != NONE)
        return NONE;
    return find_number(plan, COLUMN_START_TIME, 0, 0);
}

int layout_of_plan(const struct plan *plan, struct layout_binding *ret_binding)
{
    struct making making = {.plan = plan};
    AUTO_FREE struct total_source *sources = calloc(plan->n_described + 1, sizeof(*sources));
    AUTO_TEXT struct text bytes = {0};
    struct layout *layout = NULL;
    int r = -ENOMEM;

    if (!sources)
        return -ENOMEM;
    making.sources = sources;
    for (size_t i = 0; i < plan->n_columns; i++)
        add_series(&making, &plan->columns[i]);
    layout_append_count(&bytes, 1);
    layout_append_count(&bytes, making.n_sources);
    layout_append_count(&bytes, making.n_series);
    text_append(&bytes, making.series.data, making.series.length);
    if (text_error(&bytes) == 0 && text_error(&making.series) == 0)
        r = layout_parse(bytes.data, bytes.length, &layout);
    text_done(&making.series);
    if (r < 0)
        return r;
    *ret_binding =
        (struct layout_binding){layout, TAKE(sources), find_start(plan), find_any_marker(plan)};
    return 0;
}

int layout_of_cpus(const unsigned *numbers, size_t n, struct layout **ret_layout)
{
    AUTO_TEXT struct text bytes = {0};

    layout_append_count(&bytes, 1);
    layout_append_count(&bytes, n);
    layout_append_count(&bytes, n);
    for (size_t i = 0; i < n; i++) {
        layout_append_count(&bytes, SERIES_RATE);
        layout_append_string(&bytes, "cpu");
        layout_append_string(&bytes, "1e-9");
        layout_append_string(&bytes, "cpu");
        layout_append_count(&bytes, numbers[i]);
        for (size_t label = 1; label < COLUMN_LABELS; label++)
            layout_append_string(&bytes, ""), layout_append_string(&bytes, "");
        layout_append_count(&bytes, 1);
        layout_append_count(&bytes, i);
    }
    return text_error(&bytes) < 0 ? -ENOMEM : layout_parse(bytes.data, bytes.length, ret_layout);
}

void layout_binding_done(struct layout_binding *binding)
{
    binding->layout = layout_unref(binding->layout);
    free(TAKE(binding->sources));
}
