/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The text is written piece by piece, as that of /metrics is, and not by way of a tree of objects:
 * a tree would take an allocation for each number. Only strings go through jansson, since names are
 * chosen by strangers and have to be escaped by the book.
 */
#include "expose/targets_json.h"

#include <jansson.h>
#include <math.h>

#include "metric/catalogue.h"
#include "metric/roster.h"

static void append_string(struct text *text, const char *string)
{
    json_t *const value = json_string(string);
    char *const dump = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;

    if (dump)
        text_append_string(text, dump);
    else
        text->failed = true; /* There is no memory: values of labels are clean UTF-8. */
    free(dump);
    json_decref(value);
}

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

static void append_real(struct text *text, double value)
{
    if (isfinite(value))
        text_append_double(text, value);
    else
        text_append_string(text, "null");
}

static void append_number(struct text *text, union number number, const struct column *column)
{
    if (column->form == NUMBER_REAL) {
        append_real(text, number.real);
        return;
    }
    if (number.count == NUMBER_ABSENT_COUNT)
        text_append_string(text, "null");
    else if (column->form == NUMBER_SECONDS)
        text_append_seconds(text, number.count);
    else if (column->form == NUMBER_SCALED)
        append_real(text, (double)number.count * column->scale);
    else
        text_append_u64(text, number.count);
}

/* A column has a name of its own beside the label of this name. */
static const char *json_key(const char *label)
{
    return strcmp(label, "name") == 0 ? "tracepoint" : label;
}

static void append_column(struct text *text, const struct column *column)
{
    text_append_string(text, "{\"name\":");
    append_string(text, column->name);
    text_append_format(text, ",\"type\":\"%s\"",
                       column->type == FAMILY_COUNTER ? "counter" : "gauge");
    for (size_t i = 0; i < COLUMN_LABELS && column->labels[i].name; i++) {
        text_append_format(text, ",\"%s\":", json_key(column->labels[i].name));
        append_string(text, column->labels[i].value);
    }
    text_append_char(text, '}');
}

static void append_labels(struct text *text, const char *key, const struct label *labels, size_t n)
{
    text_append_format(text, "\"%s\":{", key);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            text_append_char(text, ',');
        append_string(text, labels[i].name);
        text_append_char(text, ':');
        append_string(text, labels[i].value);
    }
    text_append_string(text, "},");
}

static void append_row(struct text *text, const struct plan *plan, const struct identity *identity,
                       const union number *numbers)
{
    size_t n_labels, n_info;
    const struct label *labels = identity_labels(identity, &n_labels);
    const struct label *info = identity_info(identity, &n_info);

    text_append_char(text, '{');
    append_labels(text, "labels", labels, n_labels);
    append_labels(text, "info", info, n_info);
    text_append_string(text, "\"values\":[");
    for (size_t i = 0; i < plan->n_columns; i++) {
        if (i > 0)
            text_append_char(text, ',');
        append_number(text, numbers[i], &plan->columns[i]);
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

static void append_table(struct text *text, const struct snapshot *snapshot, size_t index)
{
    const struct plan *plan = snapshot->roster->catalogue->plans[index];
    const struct roster_part *part = &snapshot->roster->parts[index];
    const union number *numbers = snapshot->numbers + part->first;

    text_append_string(text, "\n{");
    append_kind(text, plan->prefix);
    append_mechanism(text, snapshot, plan->prefix);
    text_append_string(text, "\"columns\":[");
    for (size_t i = 0; i < plan->n_columns; i++) {
        if (i > 0)
            text_append_char(text, ',');
        append_column(text, &plan->columns[i]);
    }
    text_append_string(text, "],\"rows\":[");
    for (size_t i = 0; i < part->n; i++, numbers += plan->n_columns) {
        text_append_string(text, i > 0 ? ",\n" : "\n");
        append_row(text, plan, part->identities[i], numbers);
    }
    text_append_string(text, "]}");
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
                       struct text *text)
{
    const size_t n_tables = facts->stale ? 0 : snapshot->roster->catalogue->n_plans;

    text_append_char(text, '{');
    if (facts->self)
        append_time(text, "process_start_time_seconds", facts->self->start_time_realtime_ns);
    text_append_format(text, "\"sequence\":%llu,", (unsigned long long)snapshot->sequence);
    append_time(text, "taken_seconds", snapshot->taken_ns);
    append_time(text, "interval_seconds", snapshot->status.interval_ns);
    append_bool(text, "stale", facts->stale);
    append_bool(text, "paused", snapshot->status.paused == 1);
    append_uncounted(text, &snapshot->status);
    text_append_string(text, "\"tables\":[");
    for (size_t i = 0; i < n_tables; i++) {
        if (i > 0)
            text_append_char(text, ',');
        append_table(text, snapshot, i);
    }
    text_append_string(text, "]}\n");
    return text_error(text);
}
