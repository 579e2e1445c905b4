/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/targets_json.h"

#include <errno.h>
#include <stdlib.h>

#include "expose/json_text.h"
#include "expose/targets_by_key.h"
#include "expose/targets_selection.h"
#include "metric/catalogue.h"
#include "metric/roster.h"

static void append_bool(struct text *text, const char *key, bool value)
{
    text_append_format(text, "\"%s\":%s,", key, value ? "true" : "false");
}

static void append_time(struct text *text, const char *key, uint64_t ns)
{
    text_append_format(text, "\"%s\":", key);
    text_append_seconds(text, ns);
    text_append_char(text, ',');
}

static void append_number(struct text *text, union number number, const struct column *column)
{
    if (column->form == NUMBER_REAL) {
        json_append_double(text, number.real);
        return;
    }
    if (number.count == NUMBER_ABSENT_COUNT)
        text_append_string(text, "null");
    else if (column->form == NUMBER_SECONDS)
        text_append_seconds(text, number.count);
    else if (column->form == NUMBER_SCALED)
        json_append_double(text, (double)number.count * column->scale);
    else
        text_append_u64(text, number.count);
}

static void append_column(struct text *text, const struct column *column)
{
    text_append_string(text, "{\"name\":");
    json_append_string(text, column->name);
    text_append_format(text, ",\"type\":\"%s\"",
                       column->type == FAMILY_COUNTER ? "counter" : "gauge");
    for (size_t i = 0; i < COLUMN_LABELS && column->labels[i].name; i++) {
        text_append_char(text, ',');
        json_append_pair(text, json_label_name(column->labels[i].name), column->labels[i].value);
    }
    text_append_char(text, '}');
}

static void append_labels(struct text *text, const char *key, const struct label *labels, size_t n)
{
    text_append_format(text, "\"%s\":{", key);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            text_append_char(text, ',');
        json_append_pair(text, labels[i].name, labels[i].value);
    }
    text_append_string(text, "},");
}

/* A number of each row that is written: that of a column, or a bucket or the sum of a histogram. */
struct chosen_number {
    size_t number;
    const struct column *column; /* NULL: it is the histogram's */
    const struct plan_histogram *histogram;
};

/* The numbers of a table that are written. */
struct chosen {
    struct chosen_number *numbers;
    size_t n;
    struct keyed_columns by_key; /* and behind them what is counted by key */
};

static size_t buckets_of(const struct plan_histogram *histogram)
{
    return latency_layouts[histogram->distribution].n;
}

static bool is_sum(const struct chosen_number *chosen)
{
    return chosen->number == chosen->histogram->first + buckets_of(chosen->histogram);
}

static void append_histogram_column(struct text *text, const struct chosen_number *chosen)
{
    const struct plan_histogram *histogram = chosen->histogram;

    text_append_format(text, "{\"name\":\"%s%s\",\"type\":\"counter\"", histogram->name,
                       is_sum(chosen) ? "_sum" : "");
    if (!is_sum(chosen)) {
        text_append_string(text, ",\"le\":\"");
        plan_append_limit(text, &latency_layouts[histogram->distribution],
                          chosen->number - histogram->first);
        text_append_char(text, '"');
    }
    if (histogram->label.name) {
        text_append_char(text, ',');
        json_append_pair(text, histogram->label.name, histogram->label.value);
    }
    text_append_char(text, '}');
}

static void append_histogram_number(struct text *text, const struct chosen_number *chosen,
                                    uint64_t count)
{
    if (count == NUMBER_ABSENT_COUNT)
        text_append_string(text, "null");
    else if (is_sum(chosen))
        text_append_seconds(text, count);
    else
        text_append_u64(text, count);
}

static void append_row(struct text *text, const struct chosen *chosen, size_t target,
                       const struct identity *identity, const union number *numbers)
{
    size_t n_labels, n_info;
    const struct label *labels = identity_labels(identity, &n_labels);
    const struct label *info = identity_info(identity, &n_info);

    text_append_char(text, '{');
    append_labels(text, "labels", labels, n_labels);
    append_labels(text, "info", info, n_info);
    text_append_string(text, "\"values\":[");
    for (size_t i = 0; i < chosen->n; i++) {
        const struct chosen_number *one = &chosen->numbers[i];

        if (i > 0)
            text_append_char(text, ',');
        if (one->column)
            append_number(text, numbers[one->number], one->column);
        else
            append_histogram_number(text, one, numbers[one->number].count);
    }
    keyed_columns_append_values(text, &chosen->by_key, target, chosen->n > 0);
    text_append_string(text, "]}");
}

/* Appends the word between "pmu_" and the last "_" of a plan's prefix. */
static void append_kind(struct text *text, const char *prefix)
{
    static const char common[] = "pmu_";
    const size_t length = strlen(prefix), skip = strlen(common);

    text_append_string(text, "\"kind\":\"");
    if (length > skip)
        text_append(text, prefix + skip, length - skip - 1);
    text_append_string(text, "\",");
}

static void append_mechanism(struct text *text, const struct snapshot *snapshot, const char *prefix)
{
    static const struct {
        const char *prefix;
        enum scope_kind scope;
    } counted[] = {{"pmu_cgroup_", SCOPE_CGROUP}, {"pmu_process_", SCOPE_PROCESS}};
    const char *name = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
        if (strcmp(counted[i].prefix, prefix) == 0)
            name = snapshot->status.mechanisms[counted[i].scope].name;
    if (name)
        text_append_format(text, "\"mechanism\":\"%s\",", name);
    else
        text_append_string(text, "\"mechanism\":null,");
}

/* There may be as many columns by domain as CPUs, so only those that are named are told. */
static bool wants_column(const struct targets_selection *selection, const struct column *column)
{
    const bool is_by_domain =
        column->kind == COLUMN_TIME_BY_DOMAIN || column->kind == COLUMN_SWITCHES_BY_DOMAIN;

    return selection->n_columns == 0 ? !is_by_domain
                                     : targets_selection_names(selection, column->name, "");
}

/* Whether a table is written at all: targets were not chosen, or one of them is in it. */
static bool has_wanted_target(const struct targets_selection *selection, const char *prefix,
                              const struct roster_part *part)
{
    for (size_t i = 0; i < part->n; i++)
        if (targets_selection_has(selection, prefix, part->identities[i]))
            return true;
    return selection->n_targets == 0;
}

/* A histogram has many numbers, so only those that are named are told. */
static void choose_histogram(const struct targets_selection *selection,
                             const struct plan_histogram *histogram, struct chosen *chosen)
{
    const size_t n = buckets_of(histogram);

    for (size_t i = 0; i <= n; i++)
        if (targets_selection_names(selection, histogram->name, i < n ? "" : "_sum"))
            chosen->numbers[chosen->n++] =
                (struct chosen_number){histogram->first + i, NULL, histogram};
}

static void chosen_done(struct chosen *chosen)
{
    free(TAKE(chosen->numbers));
    keyed_columns_done(&chosen->by_key);
}

/* Returns 0 or -ENOMEM. The caller ends what was chosen, in any case. */
static int choose_numbers(const struct targets_selection *selection,
                          const struct snapshot *snapshot, size_t index, struct chosen *ret_chosen)
{
    const struct plan *plan = snapshot->roster->catalogue->plans[index];
    struct chosen chosen = {.numbers = calloc(plan->n_numbers + 1, sizeof(*chosen.numbers))};

    if (!chosen.numbers)
        return -ENOMEM;
    for (size_t i = 0; i < plan->n_columns; i++)
        if (wants_column(selection, &plan->columns[i]))
            chosen.numbers[chosen.n++] = (struct chosen_number){i, &plan->columns[i], NULL};
    for (size_t i = 0; i < plan->n_histograms; i++)
        choose_histogram(selection, &plan->histograms[i], &chosen);
    *ret_chosen = chosen;
    return keyed_columns_init(&ret_chosen->by_key, selection, snapshot, index);
}

static void append_rows(struct text *text, const struct snapshot *snapshot, size_t index,
                        const struct targets_selection *selection, const struct chosen *chosen)
{
    const struct plan *plan = snapshot->roster->catalogue->plans[index];
    const struct roster_part *part = &snapshot->roster->parts[index];
    const union number *numbers = snapshot->numbers + part->first;
    const char *between = "\n";

    for (size_t i = 0; i < part->n; i++, numbers += plan->n_numbers) {
        if (!targets_selection_has(selection, plan->prefix, part->identities[i]))
            continue;
        text_append_string(text, between);
        append_row(text, chosen, i, part->identities[i], numbers);
        between = ",\n";
    }
}

static void append_table(struct text *text, const struct snapshot *snapshot, size_t index,
                         const struct targets_selection *selection, const struct chosen *chosen)
{
    const struct plan *plan = snapshot->roster->catalogue->plans[index];

    text_append_string(text, "\n{");
    append_kind(text, plan->prefix);
    append_mechanism(text, snapshot, plan->prefix);
    text_append_string(text, "\"columns\":[");
    for (size_t i = 0; i < chosen->n; i++) {
        if (i > 0)
            text_append_char(text, ',');
        if (chosen->numbers[i].column)
            append_column(text, chosen->numbers[i].column);
        else
            append_histogram_column(text, &chosen->numbers[i]);
    }
    keyed_columns_append_heads(text, &chosen->by_key, chosen->n > 0);
    text_append_string(text, "],\"rows\":[");
    append_rows(text, snapshot, index, selection, chosen);
    text_append_string(text, "]}");
}

static int append_tables(struct text *text, const struct snapshot *snapshot,
                         const struct targets_selection *selection)
{
    const struct roster *roster = snapshot->roster;
    const char *between = "";
    int r = 0;

    for (size_t i = 0; i < roster->catalogue->n_plans && r == 0; i++) {
        const struct plan *plan = roster->catalogue->plans[i];
        struct chosen chosen = {0};

        if (!has_wanted_target(selection, plan->prefix, &roster->parts[i]))
            continue;
        r = choose_numbers(selection, snapshot, i, &chosen);
        if (r == 0 && (chosen.n > 0 || chosen.by_key.n > 0 || selection->n_columns == 0)) {
            text_append_string(text, between);
            append_table(text, snapshot, i, selection, &chosen);
            between = ",";
        }
        chosen_done(&chosen);
    }
    return r;
}

static void append_uncounted(struct text *text, const struct exporter_status *status)
{
    const char *between = "";

    text_append_string(text, "\"uncounted\":[");
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        for (enum absence reason = ABSENCE_NONE + 1; reason < ABSENCE_COUNT_; reason++) {
            if (status->uncounted[kind][reason] == 0)
                continue;
            text_append_format(text, "%s{\"kind\":\"%s\",\"reason\":\"%s\",\"targets\":", between,
                               scope_kind_name(kind), absence_name(reason));
            text_append_u64(text, status->uncounted[kind][reason]);
            text_append_char(text, '}');
            between = ",";
        }
    text_append_string(text, "],");
}

int targets_json_write(const struct snapshot *snapshot, const struct exposition_facts *facts,
                       const struct targets_selection *selection, struct text *text)
{
    int r = 0;

    text_append_char(text, '{');
    if (facts->self)
        append_time(text, "process_start_time_seconds", facts->self->start_time_realtime_ns);
    text_append_format(text, "\"sequence\":%llu,", (unsigned long long)snapshot->sequence);
    append_time(text, "taken_seconds", snapshot->taken_ns);
    append_time(text, "taken_realtime_seconds", snapshot->taken_realtime_ns);
    append_time(text, "interval_seconds", snapshot->status.interval_ns);
    append_bool(text, "stale", facts->stale);
    append_bool(text, "paused", snapshot->status.paused == 1);
    append_uncounted(text, &snapshot->status);
    text_append_string(text, "\"tables\":[");
    if (!facts->stale)
        r = append_tables(text, snapshot, selection);
    text_append_string(text, "]}\n");
    return r < 0 ? r : text_error(text);
}
