/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/history_json.h"

#include "expose/json_text.h"

static void append_labels(struct text *text, const struct history_label *labels, size_t n)
{
    text_append_string(text, "\"labels\":{");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            text_append_char(text, ',');
        json_append_pair(text, labels[i].name, labels[i].value);
    }
    text_append_char(text, '}');
}

static void append_times(struct text *text, const uint64_t *times_ns, size_t n)
{
    text_append_string(text, "\"times\":[");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            text_append_char(text, ',');
        json_append_seconds(text, times_ns[i]);
    }
    text_append_char(text, ']');
}

static void append_series(struct text *text, const struct history_series *series, size_t n)
{
    text_append_string(text, "\n{\"name\":");
    json_append_string(text, series->name);
    text_append_string(text, ",\"unit\":");
    json_append_string(text, series->unit);
    for (size_t i = 0; i < HISTORY_LABELS && series->labels[i].name; i++) {
        text_append_char(text, ',');
        json_append_pair(text, json_label_name(series->labels[i].name), series->labels[i].value);
    }
    text_append_string(text, ",\"values\":[");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            text_append_char(text, ',');
        json_append_measured(text, series->values[i]);
    }
    text_append_string(text, "]}");
}

static void append_part(struct text *text, const struct history_part *part)
{
    static const struct history_answer nothing;
    const struct history_answer *answer = part->answer ? part->answer : &nothing;

    text_append_string(text, "\n{\"target\":");
    json_append_string(text, part->target);
    text_append_char(text, ',');
    append_labels(text, answer->labels, answer->n_labels);
    text_append_char(text, ',');
    append_times(text, answer->times_ns, answer->n_times);
    text_append_string(text, ",\"columns\":[");
    for (size_t i = 0; i < answer->n_series; i++) {
        if (i > 0)
            text_append_char(text, ',');
        append_series(text, &answer->series[i], answer->n_times);
    }
    text_append_string(text, "]}");
}

static void append_seconds(struct text *text, const char *key, uint64_t ns)
{
    text_append_format(text, "\"%s\":", key);
    json_append_seconds(text, ns);
}

int history_json_write(const struct history_page *page, struct text *text)
{
    text_append_char(text, '{');
    append_seconds(text, "start", page->start_ns);
    text_append_char(text, ',');
    append_seconds(text, "end", page->end_ns);
    text_append_char(text, ',');
    append_seconds(text, "step_seconds", page->step_ns);
    text_append_string(text, ",\"targets\":[");
    for (size_t i = 0; i < page->n_parts; i++) {
        if (i > 0)
            text_append_char(text, ',');
        append_part(text, &page->parts[i]);
    }
    text_append_string(text, "]}\n");
    return text_error(text);
}

static void append_target(struct text *text, const struct history_target *target)
{
    text_append_string(text, "\n{\"target\":");
    json_append_string(text, target->key);
    text_append_char(text, ',');
    append_labels(text, target->labels, target->n_labels);
    text_append_string(text, ",\"columns\":[");
    for (size_t i = 0; i < target->n_columns; i++) {
        if (i > 0)
            text_append_char(text, ',');
        json_append_string(text, target->columns[i]);
    }
    text_append_string(text, "],");
    append_seconds(text, "first", target->first_ns);
    text_append_char(text, ',');
    append_seconds(text, "last", target->last_ns);
    text_append_char(text, '}');
}

int history_json_write_targets(const struct history_targets *targets, struct text *text)
{
    text_append_string(text, "{\"targets\":[");
    for (size_t i = 0; i < targets->n_targets; i++) {
        if (i > 0)
            text_append_char(text, ',');
        append_target(text, &targets->targets[i]);
    }
    text_append_format(text, "],\"cut\":%s}\n", targets->is_cut ? "true" : "false");
    return text_error(text);
}

/* The digits of a float are enough: more would tell nothing. */
static void append_share(struct text *text, float share)
{
    if (share >= 0)
        text_append_format(text, "%.5g", (double)share);
    else
        text_append_string(text, "null");
}

int history_json_write_cpus(const char *target, const struct history_cpus *cpus, struct text *text)
{
    text_append_string(text, "{\"target\":");
    json_append_string(text, target);
    text_append_char(text, ',');
    append_seconds(text, "step_seconds", cpus->step_ns);
    text_append_string(text, ",\"cpus\":[");
    for (size_t i = 0; i < cpus->n_cpus; i++)
        text_append_format(text, "%s%u", i ? "," : "", cpus->cpus[i]);
    text_append_string(text, "],");
    append_times(text, cpus->times_ns, cpus->n_times);
    text_append_string(text, ",\"values\":[");
    for (size_t i = 0; i < cpus->n_cpus; i++) {
        text_append_string(text, i ? ",\n[" : "\n[");
        for (size_t j = 0; j < cpus->n_times; j++) {
            if (j > 0)
                text_append_char(text, ',');
            append_share(text, cpus->shares[i * cpus->n_times + j]);
        }
        text_append_char(text, ']');
    }
    text_append_string(text, "]}\n");
    return text_error(text);
}

void history_json_append_mark(struct text *text, const struct history_mark *mark)
{
    text_append_string(text, "{\"id\":");
    text_append_u64(text, mark->id);
    text_append_char(text, ',');
    append_seconds(text, "time", mark->time_ns);
    text_append_string(text, ",\"text\":");
    json_append_string(text, mark->text);
    text_append_char(text, '}');
}

int history_json_write_marks(const struct history_marks *marks, struct text *text)
{
    text_append_string(text, "{\"marks\":[");
    for (size_t i = 0; i < marks->n_marks; i++) {
        text_append_string(text, i ? ",\n" : "\n");
        history_json_append_mark(text, &marks->marks[i]);
    }
    text_append_string(text, "]}\n");
    return text_error(text);
}
