/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/check_json.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "check/counting.h"
#include "check/left_out.h"
#include "check/uncore.h"
#include "resolve/mechanism_size.h"

static json_t *event_to_object(const struct event *event)
{
    return json_pack("{s:o, s:s, s:o, s:o, s:o}", "name", json_of_text(event->name), "kind",
                     event_kind_name(event->kind), "pmu", json_of_text(event->pmu), "encoding",
                     json_of_text(event->encoding), "absence",
                     json_of_text(event->absence ? absence_name(event->absence) : NULL));
}

static json_t *group_to_json(const struct resolution *resolution, const struct config_group *group)
{
    AUTO_FREE const struct event **events = NULL;
    const size_t n = resolution_group_events(resolution, group, &events);
    json_t *list = events || n == 0 ? json_array() : NULL;

    for (size_t i = 0; i < n && list; i++)
        if (json_array_append_new(list, event_to_object(events[i])) < 0) {
            json_decref(list);
            return NULL;
        }
    return json_pack("{s:o, s:o}", "name", json_of_text(group->name.text), "events", list);
}

static json_t *groups_to_json(const struct check_result *result)
{
    AUTO_JSON json_t *list = json_array();

    for (size_t i = 0; i < result->config->n_groups; i++)
        if (json_array_append_new(
                list, group_to_json(result->resolution, &result->config->groups[i])) < 0)
            return NULL;
    return json_incref(list);
}

/* A place that is of no file has neither line nor column. */
static json_t *place_to_json(struct config_place place)
{
    if (place.line == 0)
        return json_pack("{s:n, s:n}", "line", "column");
    return json_pack("{s:i, s:i}", "line", (int)place.line, "column", (int)place.column);
}

static json_t *problems_to_json(const struct check_output *output)
{
    AUTO_JSON json_t *list = json_array();

    for (size_t i = 0; i < output->n_problems; i++) {
        const struct check_problem *problem = &output->problems[i];
        json_t *object = place_to_json(problem->place);

        if (json_object_set_new(object, "severity", json_string(problem->severity)) < 0 ||
            json_object_set_new(object, "message", json_of_text(problem->message)) < 0 ||
            json_array_append(list, object) < 0) {
            json_decref(object);
            return NULL;
        }
        json_decref(object);
    }
    return json_incref(list);
}

static json_t *matches_to_json(const struct check_output *output)
{
    AUTO_JSON json_t *list = json_array();

    for (size_t i = 0; i < output->n_matches; i++) {
        const struct check_match *match = &output->matches[i];

        if (json_array_append_new(
                list, json_pack("{s:s, s:I, s:I, s:I, s:o}", "targets", match->what, "rule",
                                (json_int_t)match->rule + 1, "taken", (json_int_t)match->list.n,
                                "of_earlier_rules", (json_int_t)match->list.n_lost, "shown",
                                json_of_text(match->list.shown))) < 0)
            return NULL;
    }
    return json_incref(list);
}

static json_t *mechanisms_to_json(const struct check_result *result)
{
    AUTO_JSON json_t *list = json_array();
    struct check_mechanism mechanisms[CHECK_MOST_MECHANISMS];
    const size_t n = check_mechanisms(result->config, result->choice, mechanisms);
    size_t n_events;
    const double cost = check_switch_cost_of_bpf(result->resolution, result->share, &n_events);

    for (size_t i = 0; i < n; i++) {
        const struct check_mechanism *mechanism = &mechanisms[i];
        const bool costs = mechanism->by_bpf && n_events > 0;

        if (json_array_append_new(
                list, json_pack("{s:s, s:s, s:s, s:b, s:o}", "targets", mechanism->counted,
                                "mechanism", mechanism->by_bpf ? "bpf" : "direct", "reason",
                                mechanism->reason, "depends_on_rights",
                                mechanism->is_for_want_of_rights, "microseconds_per_switch",
                                costs ? json_of_double(cost) : json_null())) < 0)
            return NULL;
    }
    return json_incref(list);
}

static json_t *latency_to_json(const struct check_result *result)
{
    return json_pack("{s:b, s:b, s:s?}", "wanted", latency_wanted(result->config) != 0, "counted",
                     result->latency->mechanism != NULL, "reason", result->latency->reason);
}

static json_t *profiles_to_json(const struct check_result *result)
{
    const struct config_profiles *profiles = &result->config->profiles;

    return json_pack("{s:b, s:b, s:s?, s:I, s:I}", "enabled", profiles->enabled, "sampled",
                     result->profiles.are_sampled, "reason", result->profiles.reason, "rate_hertz",
                     (json_int_t)profiles->rate_hz, "memory_bytes", (json_int_t)profiles->bytes);
}

/* object: a list, or NULL once there was no memory for it. */
static void add_left_out(void *object, const struct check_left_out *left_out)
{
    json_t *list = object;
    json_t *events = json_array();

    for (size_t i = 0; i < left_out->group->n_members; i++) {
        const struct group_member *member = &left_out->group->members[i];

        if (check_is_left_out(left_out->kind, member, left_out->reason))
            (void)json_array_append_new(events, json_of_text(member->event->name));
    }
    (void)json_array_append_new(
        list,
        json_pack("{s:s, s:o, s:o, s:s, s:o}", "scope", scope_kind_name(left_out->kind), "rule",
                  left_out->kind == SCOPE_SYSTEM ? json_null()
                                                 : json_integer((json_int_t)left_out->rule),
                  "group", json_of_text(left_out->group->name), "absence",
                  absence_name(left_out->reason), "events", events));
}

static json_t *left_out_to_json(const struct check_result *result)
{
    json_t *list = json_array();

    for (enum absence reason = ABSENCE_NONE + 1; reason < ABSENCE_COUNT_ && list; reason++)
        check_each_left_out(result->resolution, reason, add_left_out, list);
    return list;
}

json_t *check_budget_to_json(const struct check_result *result)
{
    const struct pmu_share *share = result->share;
    const struct pmu_division *division = &share->division;
    const bool is_limited = result->config->limits.pmu_counters != CONFIG_ALL_COUNTERS;

    if (result->undecided < 0 || !share->is_wanted)
        return json_null();
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I}", "free",
                     share->is_measured ? json_integer((json_int_t)share->n_free) : json_null(),
                     "allowed", is_limited ? json_integer((json_int_t)share->budget) : json_null(),
                     "processes", (json_int_t)division->processes, "cgroups",
                     (json_int_t)division->cgroups, "system", (json_int_t)division->system,
                     "in_use", (json_int_t)pmu_division_sum(division));
}

json_t *check_series_to_json(const struct check_series *series,
                             const struct check_series_request *request)
{
    json_t *list = json_array();

    for (size_t i = 0; i < series->n_rows; i++) {
        const struct check_series_row *row = &series->rows[i];

        (void)json_array_append_new(
            list, json_pack("{s:o, s:o, s:I, s:I}", "targets", json_of_text(row->what), "rule",
                            row->rule ? json_integer((json_int_t)row->rule) : json_null(), "n",
                            (json_int_t)row->n_targets, "series_each", (json_int_t)row->each));
    }
    return json_pack("{s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "targets", list, "own",
                     (json_int_t)series->n_own, "series", (json_int_t)series->n_all, "limit",
                     (json_int_t)series->limit, "scrape_interval_seconds",
                     json_of_double((double)request->scrape_interval_ns / (double)NS_PER_SECOND),
                     "samples_per_second",
                     json_of_double(check_series_samples_per_second(series, request)),
                     "bytes_per_day", json_of_double(check_series_bytes_a_day(series, request)));
}

static void add_uncore(void *list, const struct check_uncore *uncore)
{
    (void)json_array_append_new(
        list, json_pack("{s:o, s:I, s:I, s:I, s:I}", "pmu", json_of_text(uncore->pmu), "events",
                        (json_int_t)uncore->n_events, "instances", (json_int_t)uncore->n_instances,
                        "sockets", (json_int_t)uncore->n_sockets, "counters",
                        (json_int_t)uncore->n_counters));
}

json_t *check_uncore_to_json(const struct check_result *result)
{
    json_t *list = json_array();

    if (list && check_each_uncore(result->resolution, result->sysfs_fd, add_uncore, list) < 0) {
        json_decref(list);
        return NULL;
    }
    return list;
}

json_t *check_result_to_json(const struct check_result *result)
{
    return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "file",
                     json_of_text(result->output->path), "valid", 1, "groups",
                     groups_to_json(result), "problems", problems_to_json(result->output),
                     "matches", matches_to_json(result->output), "mechanisms",
                     mechanisms_to_json(result), "latency", latency_to_json(result), "profiles",
                     profiles_to_json(result), "left_out", left_out_to_json(result), "budget",
                     check_budget_to_json(result), "uncore", check_uncore_to_json(result));
}

json_t *check_failure_to_json(const char *path, int r, const struct config_error *error)
{
    json_t *place = place_to_json(r == -EINVAL ? error->place : (struct config_place){0, 0});

    if (json_object_set_new(place, "message",
                            json_of_text(r == -EINVAL ? error->message : strerror(-r))) < 0) {
        json_decref(place);
        return NULL;
    }
    return json_pack("{s:o, s:b, s:o}", "file", json_of_text(path), "valid", 0, "error", place);
}
