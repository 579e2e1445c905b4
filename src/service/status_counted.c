/* SPDX-License-Identifier: Apache-2.0 */
#include "service/status_counted.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "expose/json_text.h"
#include "resolve/absence_advice.h"
#include "sys/system_call.h"

void status_append_mechanisms(struct text *text, const struct snapshot *snapshot)
{
    const char *between = "";

    text_append_string(text, "\"mechanism\":{");
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++) {
        const struct mechanism_status *mechanism = &snapshot->status.mechanisms[kind];

        if (!mechanism->name)
            continue;
        text_append_format(text, "%s\"%s\":{\"name\":", between, scope_kind_name(kind));
        json_append_string(text, mechanism->name);
        text_append_string(text, ",\"reason\":");
        json_append_string(text, mechanism->reason);
        text_append_char(text, '}');
        between = ",";
    }
    text_append_char(text, '}');
}

static void append_count(struct text *text, const char *key, uint64_t n)
{
    text_append_format(text, ",\"%s\":%" PRIu64, key, n);
}

void status_append_profiles(struct text *text, const struct snapshot *snapshot)
{
    const struct profile_status *profile = &snapshot->status.profile;

    text_append_format(
        text, "\"profiles\":{\"wanted\":%s,\"reason\":", profile->wanted ? "true" : "false");
    json_append_string(text, profile->reason);
    text_append_format(text, ",\"rate_hertz\":%.3f", profile->rate_hz);
    append_count(text, "samples", profile->samples);
    append_count(text, "lost", profile->lost);
    append_count(text, "whole", profile->stacks[PROFILE_COMPLETE]);
    text_append_format(text, ",\"files\":{\"read\":%" PRIu64, profile->files_read);
    append_count(text, "awaited", profile->files_awaited);
    append_count(text, "refused", profile->files_refused);
    append_count(text, "missing", profile->files_missing);
    text_append_char(text, '}');
    append_count(text, "table_bytes", profile->table_bytes);
    append_count(text, "kept_bytes", profile->kept_bytes);
    text_append_string(text, ",\"cpu_seconds\":");
    json_append_seconds(text,
                        profile->program_ns + profile->sampler_cpu_ns + profile->reader_cpu_ns);
    text_append_char(text, '}');
}

static void append_latency(struct text *text, const struct latency_status *latency)
{
    text_append_format(text, "\"wanted\":%s,\"reason\":", latency->wanted ? "true" : "false");
    json_append_string(text, latency->wanted ? latency->reason : NULL);
}

/* Which system calls are timed. */
static void append_timed_calls(struct text *text, const struct timed_calls_status *timed)
{
    text_append_string(text, ",\"timed_calls\":{\"calls\":[");
    for (size_t i = 0; i < timed->n; i++) {
        text_append_string(text, i > 0 ? "," : "");
        json_append_string(text, system_call_name(timed->calls[i]));
    }
    text_append_format(text, "],\"one_in\":%u,\"reason\":", timed->one_in);
    json_append_string(text, timed->reason);
    text_append_char(text, '}');
}

void status_append_latency(struct text *text, const struct snapshot *snapshot)
{
    const struct latency_status *latency = snapshot->status.latency;

    text_append_string(text, "\"latency\":{");
    append_latency(text, &latency[0]); /* of the scheduler, for clients that know no parts */
    text_append_string(text, ",\"parts\":{");
    for (size_t i = 0; i < LATENCY_PARTS; i++) {
        text_append_format(text, "%s\"%s\":{", i > 0 ? "," : "", latency_parts[i].word);
        append_latency(text, &latency[i]);
        text_append_char(text, '}');
    }
    text_append_char(text, '}');
    append_timed_calls(text, &snapshot->status.timed_calls);
    text_append_char(text, '}');
}

void status_append_targets(struct text *text, const struct snapshot *snapshot)
{
    text_append_string(text, "\"targets\":{");
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        text_append_format(text, "%s\"%s\":%" PRIu64, kind ? "," : "", scope_kind_name(kind),
                           snapshot->status.targets[kind]);
    text_append_char(text, '}');
}

static bool is_same_group(const struct event_status *a, const struct event_status *b)
{
    return strcmp(a->scope, b->scope) == 0 && strcmp(a->group, b->group) == 0;
}

/* Whether targets of the plan are counted in the scope: pmu_machine_ and pmu_cpu_ are "system". */
static bool is_of_scope(const struct plan *plan, const char *scope)
{
    const bool cgroup = strcmp(plan->prefix, "pmu_cgroup_") == 0,
               process = strcmp(plan->prefix, "pmu_process_") == 0;

    if (strcmp(scope, scope_kind_name(SCOPE_CGROUP)) == 0)
        return cgroup;
    if (strcmp(scope, scope_kind_name(SCOPE_PROCESS)) == 0)
        return process;
    return !cgroup && !process;
}

static void take_least(const struct snapshot *snapshot, size_t plan, size_t column, double *least)
{
    const struct roster_part *part = &snapshot->roster->parts[plan];
    const size_t n_numbers = snapshot->roster->catalogue->plans[plan]->n_numbers;

    for (size_t i = 0; i < part->n; i++) {
        const double coverage = snapshot->numbers[part->first + i * n_numbers + column].real;

        if (!isnan(coverage) && !(coverage >= *least))
            *least = coverage;
    }
}

/* The least coverage of a group in the last interval; NaN: none is known. */
static double least_coverage(const struct snapshot *snapshot, const struct event_status *event)
{
    const struct catalogue *catalogue = snapshot->roster->catalogue;
    double least = NAN;

    for (size_t i = 0; i < catalogue->n_plans; i++) {
        const struct plan *plan = catalogue->plans[i];

        for (size_t j = 0; is_of_scope(plan, event->scope) && j < plan->n_columns; j++) {
            const char *group = column_label(&plan->columns[j], "group");

            if (plan->columns[j].kind == COLUMN_GROUP_COVERAGE && group &&
                strcmp(group, event->group) == 0)
                take_least(snapshot, i, j, &least);
        }
    }
    return least;
}

/* Whether this event is the first of its group that is counted. */
static bool begins_group(const struct catalogue *catalogue, size_t index)
{
    const struct event_status *events = catalogue->events;

    for (size_t i = 0; i < index; i++)
        if (events[i].absence == ABSENCE_NONE && is_same_group(&events[i], &events[index]))
            return false;
    return events[index].absence == ABSENCE_NONE;
}

static void append_group(struct text *text, const struct snapshot *snapshot, size_t first)
{
    const struct catalogue *catalogue = snapshot->roster->catalogue;
    const struct event_status *begin = &catalogue->events[first];
    const char *between = "";

    text_append_format(text, "{\"scope\":\"%s\",\"group\":", begin->scope);
    json_append_string(text, begin->group);
    text_append_string(text, ",\"events\":[");
    for (size_t i = first; i < catalogue->n_events; i++) {
        const struct event_status *event = &catalogue->events[i];

        if (event->absence != ABSENCE_NONE || !is_same_group(event, begin))
            continue;
        text_append_string(text, between);
        json_append_string(text, event->event);
        between = ",";
    }
    text_append_string(text, "],\"coverage\":");
    json_append_double(text, least_coverage(snapshot, begin));
    text_append_char(text, '}');
}

void status_append_groups(struct text *text, const struct snapshot *snapshot)
{
    const struct catalogue *catalogue = snapshot->roster->catalogue;
    const char *between = "\n";

    text_append_string(text, "\"groups\":[");
    for (size_t i = 0; i < catalogue->n_events; i++) {
        if (!begins_group(catalogue, i))
            continue;
        text_append_string(text, between);
        append_group(text, snapshot, i);
        between = ",\n";
    }
    text_append_char(text, ']');
}

/* What was left out, in the words of a list. */
struct left_out {
    const char *kind; /* "event", "targets" */
    const char *what;
    enum absence reason;
    const char *hint; /* NULL, or empty: nothing can be done */
};

static void append_left_out(struct text *text, const struct left_out *left, const char **between)
{
    text_append_format(text, "%s{\"kind\":\"%s\",\"what\":", *between, left->kind);
    json_append_string(text, left->what);
    text_append_format(text, ",\"reason\":\"%s\",\"hint\":", absence_name(left->reason));
    json_append_string(text, left->hint && *left->hint ? left->hint : NULL);
    text_append_char(text, '}');
    *between = ",\n";
}

static void append_event(struct text *text, const struct event_status *event, const char **between)
{
    char what[256];

    (void)snprintf(what, sizeof(what), "%.150s (group %.50s, scope %s)", event->event, event->group,
                   event->scope);
    append_left_out(
        text, &(struct left_out){"event", what, event->absence, absence_advice(event->absence)},
        between);
}

static void append_uncounted(struct text *text, const struct exporter_status *status,
                             enum scope_kind kind, const char **between)
{
    for (enum absence reason = ABSENCE_NONE + 1; reason < ABSENCE_COUNT_; reason++) {
        char what[64];

        if (status->uncounted[kind][reason] == 0)
            continue;
        (void)snprintf(what, sizeof(what), "%" PRIu64 " of %s", status->uncounted[kind][reason],
                       scope_kind_name(kind));
        append_left_out(
            text, &(struct left_out){"targets", what, reason, absence_target_advice(kind, reason)},
            between);
    }
}

void status_append_left_out(struct text *text, const struct snapshot *snapshot)
{
    const struct catalogue *catalogue = snapshot->roster->catalogue;
    const char *between = "\n";

    text_append_string(text, "\"left_out\":[");
    for (size_t i = 0; i < catalogue->n_events; i++)
        if (catalogue->events[i].absence != ABSENCE_NONE)
            append_event(text, &catalogue->events[i], &between);
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        append_uncounted(text, &snapshot->status, kind, &between);
    text_append_char(text, ']');
}
