/* SPDX-License-Identifier: Apache-2.0 */

/* One object a line: a whole run, or an interval, so that a reader can take each as it comes. */

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "resolve/absence_advice.h"
#include "tool/json.h"
#include "tool/stat/derive.h"

static json_t *derived_json(const struct report *report, size_t part, size_t event)
{
    struct derived derived[MOST_DERIVED];
    bool has_first;
    const size_t n = derive(report, part, event, derived, &has_first);
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(list, json_pack("{s:o, s:s}", "value",
                                                    json_of_double(derived[i].value), "unit",
                                                    derived[i].unit));
    return list;
}

/* The value and how well it is known. */
static void set_value(json_t *row, const struct report *report, const struct figure *figure,
                      const struct event *event)
{
    const struct shown_value shown = shown_value_of(event);

    (void)json_object_set_new(row, "value",
                              shown.decimals == 0 && report->options->runs == 1
                                  ? json_integer((json_int_t)figure->exact)
                                  : json_of_double(figure->count.mean * shown.factor));
    if (report->options->runs > 1)
        (void)json_object_set_new(row, "error_percent",
                                  json_of_double(mean_percent(&figure->count)));
}

static json_t *row_json(const struct report *report, size_t part, size_t event)
{
    const struct figure *figure = report_figure(report, part, event);
    size_t group;
    const struct group_member *member = report_member(report, event, &group);
    const char *group_name = report->groups->groups[group].name;
    const char *counted_as = member->event->counted_as;
    const bool is_counted = member->absence == ABSENCE_NONE && figure_is_counted(figure);
    json_t *row = json_object();

    (void)json_object_set_new(row, "event", json_of_text(member->event->name));
    (void)json_object_set_new(row, "group", json_of_text(group_name));
    if (counted_as)
        (void)json_object_set_new(row, "counted_as", json_of_text(counted_as));
    if (report->cpus[part] >= 0)
        (void)json_object_set_new(row, "cpu", json_integer(report->cpus[part]));
    (void)json_object_set_new(row, "unit", json_of_text(shown_value_of(member->event).unit));
    if (is_counted)
        set_value(row, report, figure, member->event);
    else
        (void)json_object_set_new(row, "value", json_null());
    if (member->absence != ABSENCE_NONE) {
        (void)json_object_set_new(row, "absence", json_of_text(absence_name(member->absence)));
        (void)json_object_set_new(row, "advice",
                                  json_of_text(member->event->why
                                                   ? member->event->why
                                                   : absence_advice(member->absence)));
        return row;
    }
    (void)json_object_set_new(
        row, "running_ns",
        json_integer((json_int_t)(is_counted ? figure->running.mean : (double)figure->running_ns)));
    (void)json_object_set_new(row, "coverage", json_of_double(figure_coverage(figure)));
    (void)json_object_set_new(row, "derived", derived_json(report, part, event));
    return row;
}

/* What stands beside the events. */
static void set_times(json_t *object, const struct report *report)
{
    if (report->options->interval_ns) {
        (void)json_object_set_new(object, "time_seconds", json_of_seconds(report->since_ns));
        (void)json_object_set_new(object, "interval_seconds", json_of_seconds(report->span_ns));
        return;
    }
    (void)json_object_set_new(object, "elapsed_seconds", json_of_double(report->elapsed.mean));
    if (report->options->runs > 1) {
        (void)json_object_set_new(object, "runs", json_integer((json_int_t)report->elapsed.n));
        (void)json_object_set_new(object, "elapsed_error_percent",
                                  json_of_double(mean_percent(&report->elapsed)));
    }
    if (report->has_usage) {
        (void)json_object_set_new(object, "user_seconds", json_of_seconds(report->user_ns));
        (void)json_object_set_new(object, "system_seconds", json_of_seconds(report->system_ns));
    }
}

int report_append_json(const struct report *report, struct text *text)
{
    AUTO_JSON json_t *object = json_object();
    AUTO_FREE char *line = NULL;
    json_t *rows = json_array();

    set_times(object, report);
    if (!isnan(report->machine_cpus))
        (void)json_object_set_new(object, "machine_cpus_used",
                                  json_of_double(report->machine_cpus));
    if (report->is_restricted)
        (void)json_object_set_new(object, "user_mode_only", json_true());
    for (size_t event = 0; event < report->groups->n_events; event++)
        for (size_t part = 0; part < report->n_parts; part++)
            if (report_has_row(report, part, event))
                (void)json_array_append_new(rows, row_json(report, part, event));
    if (json_object_set_new(object, "events", rows) < 0)
        return -ENOMEM;
    line = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(15));
    if (!line)
        return -ENOMEM;
    text_append_string(text, line);
    text_append_char(text, '\n');
    return text_error(text);
}
