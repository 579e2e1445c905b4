/* SPDX-License-Identifier: Apache-2.0 */
#include "run/request.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/clock.h"
#include "base/parse.h"
#include "run/object.h"

#define USUAL_INTERVAL_NS NS_PER_SECOND
#define USUAL_DURATION_NS (30 * NS_PER_SECOND)

static const struct {
    const char *word;
    enum run_place place;
} places[] = {{"cgroup:", RUN_OF_CGROUP}, {"process:", RUN_OF_PROCESSES}, {"pid:", RUN_OF_PID}};

static int parse_target(struct run_request *request, struct text *message)
{
    uint64_t pid;

    if (strcmp(request->target, "machine") == 0) {
        request->place = RUN_OF_MACHINE;
        request->place_name = "";
        return 0;
    }
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        const size_t length = strlen(places[i].word);

        if (strncmp(request->target, places[i].word, length) != 0 || !request->target[length])
            continue;
        request->place = places[i].place;
        request->place_name = request->target + length;
        if (request->place != RUN_OF_PID)
            return 0;
        if (parse_u64(request->place_name, &pid) < 0 || pid == 0 || pid > INT_MAX)
            break;
        request->pid = (pid_t)pid;
        return 0;
    }
    return object_refuse(message, "expected machine, cgroup:PATH, process:NAME or pid:NUMBER as "
                                  "\"target\"");
}

static int take_target(const json_t *object, struct run_request *request, struct text *message)
{
    int r = object_take_text(object, "target", 4096, false, &request->target, message);

    if (r == -ENOENT)
        return object_refuse(message, "\"target\" is missing");
    return r < 0 ? r : parse_target(request, message);
}

static int append_event(struct event_name_list *list, const json_t *name, struct text *message)
{
    const char *text = json_string_value(name);

    if (!text || !*text || strlen(text) > 1024)
        return object_refuse(message, "expected names of events, or lists of them, as \"events\"");
    return event_names_append(list, text);
}

/* Takes an event that stands alone, or a group. *n: how many there are with it. */
static int take_group(const json_t *group, struct event_name_list *list, size_t *n,
                      struct text *message)
{
    const size_t size = json_is_array(group) ? json_array_size(group) : 1;
    int r;

    *n += size;
    if (*n > RUN_EVENTS_MAX)
        return object_refuse(message, "more than %d events", RUN_EVENTS_MAX);
    if (size == 0)
        return object_refuse(message, "a group of \"events\" is empty");
    r = event_names_begin(list, json_is_array(group));
    if (!json_is_array(group))
        return r < 0 ? r : append_event(list, group, message);
    for (size_t i = 0; i < size && r == 0; i++)
        r = append_event(list, json_array_get(group, i), message);
    return r;
}

static int take_events(const json_t *object, struct run_request *request, struct text *message)
{
    const json_t *events = json_object_get(object, "events");
    size_t n = 0;
    int r = 0;

    if (json_array_size(events) == 0)
        return object_refuse(message, "expected a list of names as \"events\"");
    for (size_t i = 0; i < json_array_size(events) && r == 0; i++)
        r = take_group(json_array_get(events, i), &request->events, &n, message);
    if (r < 0)
        return r;
    request->asked = json_dumps(events, JSON_COMPACT);
    return request->asked ? 0 : -ENOMEM;
}

/* What is sampled: one event, so many times a second. */
static int take_sampling(const json_t *object, struct run_request *request, struct text *message)
{
    const json_t *rate = json_object_get(object, "rate");
    const json_int_t hz = rate ? json_integer_value(rate) : RUN_RATE_USUAL_HZ;

    if ((rate && !json_is_integer(rate)) || hz < 1 || hz > RUN_RATE_MOST_HZ)
        return object_refuse(message, "expected a whole number from 1 to %d as \"rate\"",
                             RUN_RATE_MOST_HZ);
    request->rate_hz = (unsigned)hz;
    if (json_array_size(json_object_get(object, "events")) != 1)
        return object_refuse(message,
                             "expected one event in \"events\", since one is sampled at a time");
    return take_events(object, request, message);
}

/* A run that records the scheduler has no events. */
static int take_kind(const json_t *object, struct run_request *request, struct text *message)
{
    const json_t *value = json_object_get(object, "kind");
    const char *word = json_string_value(value);

    if (value && (!word || strcmp(word, run_kind_name(run_kind_parse(word))) != 0))
        return object_refuse(message, "expected \"count\", \"record\" or \"schedule\" as \"kind\"");
    request->kind = run_kind_parse(word);
    if (request->kind == RUN_RECORDS)
        return take_sampling(object, request, message);
    if (json_object_get(object, "rate"))
        return object_refuse(message, "only a run of kind \"record\" has a \"rate\"");
    if (request->kind == RUN_COUNTS)
        return take_events(object, request, message);
    if (json_object_get(object, "events"))
        return object_refuse(message, "a run of kind \"schedule\" has no \"events\"");
    request->asked = strdup("[]");
    return request->asked ? 0 : -ENOMEM;
}

static int take_times(const json_t *object, struct run_request *request, struct text *message)
{
    int r;

    request->interval_ns = USUAL_INTERVAL_NS;
    request->duration_ns = USUAL_DURATION_NS;
    r = object_take_seconds(object, "interval_seconds", RUN_INTERVAL_LEAST_NS, RUN_INTERVAL_MOST_NS,
                            &request->interval_ns, message);
    if (r == 0)
        r = object_take_seconds(object, "duration_seconds", RUN_INTERVAL_LEAST_NS,
                                RUN_DURATION_MOST_NS, &request->duration_ns, message);
    if (r == 0 && request->duration_ns / request->interval_ns > RUN_SAMPLES_MAX)
        return object_refuse(message, "a run has at most " RUN_BOUNDS
                                      ": expected a longer interval or a shorter duration");
    return r;
}

static int take_counters(const json_t *object, struct run_request *request, struct text *message)
{
    const json_t *value = json_object_get(object, "counters");
    const char *word = json_string_value(value);

    if (!value || (word && strcmp(word, "budget") == 0))
        return 0;
    request->takes_free = word && strcmp(word, "free") == 0;
    return request->takes_free
               ? 0
               : object_refuse(message, "expected \"budget\" or \"free\" as \"counters\"");
}

/* Takes title and notes; a title that is empty is refused. -ENOENT: there is no title. */
static int take_names(const json_t *object, char **ret_title, char **ret_notes,
                      struct text *message)
{
    const int r = object_take_text(object, "notes", RUN_NOTES_MAX, true, ret_notes, message);
    int title;

    if (r < 0 && r != -ENOENT)
        return r;
    title = object_take_text(object, "title", RUN_TITLE_MAX, false, ret_title, message);
    if (title == 0 && !**ret_title)
        return object_refuse(message, "\"title\" is empty");
    return title;
}

static int take_all(const json_t *object, struct run_request *request, struct text *message)
{
    static const char *const keys[] = {
        "title",    "notes", "target", "kind", "events", "interval_seconds", "duration_seconds",
        "counters", "rate"};
    int r = object_check_keys(object, keys, ARRAY_SIZE(keys), message);

    if (r == 0)
        r = take_names(object, &request->title, &request->notes, message);
    if (r == -ENOENT)
        return object_refuse(message, "\"title\" is missing");
    if (r == 0 && !request->notes)
        request->notes = strdup("");
    if (r == 0 && !request->notes)
        return -ENOMEM;
    if (r == 0)
        r = take_target(object, request, message);
    if (r == 0)
        r = take_kind(object, request, message);
    if (r == 0)
        r = take_times(object, request, message);
    return r < 0 ? r : take_counters(object, request, message);
}

int run_request_parse(const char *body, size_t length, struct run_request *ret_request,
                      struct text *ret_message)
{
    AUTO_JSON json_t *object = NULL;

    *ret_request = (struct run_request){0};
    object = object_parse(body, length, ret_message);
    return object ? take_all(object, ret_request, ret_message) : -EINVAL;
}

void run_request_done(struct run_request *request)
{
    free(request->title);
    free(request->notes);
    free(request->target);
    event_names_done(&request->events);
    free(request->asked);
    *request = (struct run_request){0};
}

int run_rename_parse(const char *body, size_t length, struct run_rename *ret_rename,
                     struct text *ret_message)
{
    static const char *const keys[] = {"title", "notes"};
    AUTO_JSON json_t *object = NULL;
    int r;

    *ret_rename = (struct run_rename){0};
    object = object_parse(body, length, ret_message);
    if (!object)
        return -EINVAL;
    r = object_check_keys(object, keys, ARRAY_SIZE(keys), ret_message);
    if (r == 0)
        r = take_names(object, &ret_rename->title, &ret_rename->notes, ret_message);
    return r == -ENOENT ? 0 : r;
}

void run_rename_done(struct run_rename *rename)
{
    free(rename->title);
    free(rename->notes);
    *rename = (struct run_rename){0};
}
