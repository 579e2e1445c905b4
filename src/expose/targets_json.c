/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/targets_json.h"

#include <errno.h>
#include <stdlib.h>

#include "expose/json_text.h"
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

/* The columns of a table that are written: indices of the plan's columns. */
struct chosen {
    size_t *columns;
    size_t n;
};

static void append_row(struct text *text, const struct plan *plan, const struct chosen *chosen,
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
        const size_t column = chosen->columns[i];

        if (i > 0)
            text_append_char(text, ',');
        append_number(text, numbers[column], &plan->columns[column]);
    }
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

static bool wants_column(const struct targets_selection *selection, const struct column *column)
{
    for (size_t i = 0; i < selection->n_columns; i++)
        if (strcmp(selection->columns[i], column->name) == 0)
            return true;
    return selection->n_columns == 0;
}

static bool wants_target(const struct targets_selection *selection, const char *prefix,
                         const struct identity *identity)
{
    size_t n;
    const struct label *labels = identity_labels(identity, &n);

    for (size_t i = 0; i < selection->n_targets; i++)
        if (target_filter_matches(&selection->targets[i], prefix, labels, n))
            return true;
    return selection->n_targets == 0;
}

/* Whether a table is written at all: targets were not chosen, or one of them is in it. */
static bool has_wanted_target(const struct targets_selection *selection, const char *prefix,
                              const struct roster_part *part)
{
    for (size_t i = 0; i < part->n; i++)
        if (wants_target(selection, prefix, part->identities[i]))
            return true;
    return selection->n_targets == 0;
}

/* Returns 0 or -ENOMEM. The caller frees the columns. */
static int choose_columns(const struct targets_selection *selection, const struct plan *plan,
                          struct chosen *ret_chosen)
{
    struct chosen chosen = {.columns = calloc(plan->n_columns + 1, sizeof(*chosen.columns))};

    if (!chosen.columns)
        return -ENOMEM;
    for (size_t i = 0; i < plan->n_columns; i++)
        if (wants_column(selection, &plan->columns[i]))
            chosen.columns[chosen.n++] = i;
    *ret_chosen = chosen;
    return 0;
}

static void append_rows(struct text *text, const struct snapshot *snapshot, size_t index,
                        const struct targets_selection *selection, const struct chosen *chosen)
{
    const struct plan *plan = snapshot->roster->catalogue->plans[index];
    const struct roster_part *part = &snapshot->roster->parts[index];
    const union number *numbers = snapshot->numbers + part->first;
    const char *between = "\n";

    for (size_t i = 0; i < part->n; i++, numbers += plan->n_numbers) {
        if (!wants_target(selection, plan->prefix, part->identities[i]))
            continue;
        text_append_string(text, between);
        append_row(text, plan, chosen, part->identities[i], numbers);
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
        append_column(text, &plan->columns[chosen->columns[i]]);
    }
    text_append_string(text, "],\"rows\":[");
    append_rows(text, snapshot, index, selection, chosen);
    text_append_string(text, "]}");
}

static int append_tables(struct text *text, const struct snapshot *snapshot,
                         const struct targets_selection *selection)
{
    const struct roster *roster = snapshot->roster;
    const char *between = "";

    for (size_t i = 0; i < roster->catalogue->n_plans; i++) {
        const struct plan *plan = roster->catalogue->plans[i];
        struct chosen chosen;
        int r;

        if (!has_wanted_target(selection, plan->prefix, &roster->parts[i]))
            continue;
        r = choose_columns(selection, plan, &chosen);
        if (r < 0)
            return r;
        if (chosen.n > 0 || selection->n_columns == 0) {
            text_append_string(text, between);
            append_table(text, snapshot, i, selection, &chosen);
            between = ",";
        }
        free(chosen.columns);
    }
    return 0;
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
