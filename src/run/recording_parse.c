/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "run/object.h"
#include "run/recording_text.h"
#include "run/request.h"

/* A thousand years: times beyond are refused. */
#define LATEST_SECONDS 3e10

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static double number_of(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : otherwise;
}

/* A time that may be missing: 0 then, and where it is none. */
static uint64_t time_of(const json_t *object, const char *key)
{
    const double seconds = number_of(object, key, 0);

    return seconds > 0 && seconds < LATEST_SECONDS
               ? (uint64_t)llround(seconds * (double)NS_PER_SECOND)
               : 0;
}

static int take_events(const json_t *object, struct recording *recording)
{
    const json_t *list = json_object_get(object, "events");
    int r = 0;

    for (size_t i = 0; i < json_array_size(list) && r == 0; i++) {
        const json_t *event = json_array_get(list, i);
        const char *name = text_of(event, "name");

        if (!name || i >= RUN_EVENTS_MAX)
            return -EINVAL;
        r = recording_add_event(recording, name, text_of(event, "reason"), text_of(event, "why"));
        if (r == 0)
            recording->events[i].coverage = number_of(event, "coverage", NAN);
    }
    return r;
}

/*
 * A name is shown in terminals, and begins a column of CSV: it has no control character, and no
 * spreadsheet takes it for a formula.
 */
static bool is_name(const char *name)
{
    if (!*name || strchr("=+-@", *name))
        return false;
    for (; *name; name++)
        if ((unsigned char)*name < 0x20 || *name == 0x7f)
            return false;
    return true;
}

/* Bounds what a column of a stranger may be; two columns of a name could not be told apart. */
static bool is_column(const struct recording *recording, const char *name, const char *unit,
                      const char *kind, double factor)
{
    if (!name || !is_name(name) || strlen(name) > 1024 || !unit || strlen(unit) > 64 || !kind ||
        !(factor > 0 && factor < 1e18))
        return false;
    for (size_t i = 0; i < recording->n_columns; i++)
        if (strcmp(recording->columns[i].name, name) == 0)
            return false;
    return strcmp(kind, "total") == 0 || strcmp(kind, "ratio") == 0;
}

static int take_columns(const json_t *object, struct recording *recording)
{
    const json_t *list = json_object_get(object, "columns");
    int r = 0;

    for (size_t i = 0; i < json_array_size(list) && r == 0; i++) {
        const json_t *column = json_array_get(list, i);
        const char *name = text_of(column, "name"), *unit = text_of(column, "unit");
        const char *kind = text_of(column, "kind");
        const double factor = number_of(column, "factor", 1);

        if (i >= (size_t)2 * RUN_EVENTS_MAX || !is_column(recording, name, unit, kind, factor))
            return -EINVAL;
        r = recording_add_column(recording, name, unit, factor,
                                 strcmp(kind, "total") == 0 ? RUN_TOTAL : RUN_RATIO);
    }
    return r;
}

static int copy_text(const json_t *object, const char *key, char **ret_text)
{
    const char *text = text_of(object, key);

    *ret_text = strdup(text ? text : "");
    return *ret_text ? 0 : -ENOMEM;
}

/* Events as they were asked for. Earlier versions have not kept that. */
static int take_asked(const json_t *object, struct recording *recording)
{
    const json_t *asked = json_object_get(object, "asked");

    if (!json_is_array(asked))
        return 0;
    recording->asked = json_dumps(asked, JSON_COMPACT);
    return recording->asked ? 0 : -ENOMEM;
}

static int read_head(const json_t *object, struct recording *recording)
{
    int r = copy_text(object, "title", &recording->title);

    if (r == 0)
        r = copy_text(object, "notes", &recording->notes);
    if (r == 0)
        r = copy_text(object, "target", &recording->target);
    if (r == 0 && text_of(object, "command"))
        r = copy_text(object, "command", &recording->command);
    if (r == 0)
        r = take_asked(object, recording);
    if (r < 0)
        return r;
    recording->kind = run_kind_parse(text_of(object, "kind"));
    recording->start_realtime_ns = time_of(object, "start");
    recording->end_realtime_ns = time_of(object, "end");
    recording->interval_ns = time_of(object, "interval_seconds");
    recording->duration_ns = time_of(object, "duration_seconds");
    recording->takes_free =
        strcmp(text_of(object, "counters") ? text_of(object, "counters") : "", "free") == 0;
    recording->rate_hz =
        (unsigned)json_integer_value(json_object_get(json_object_get(object, "sampled"), "rate"));
    recording->state = run_state_parse(text_of(object, "state"));
    r = take_events(object, recording);
    return r == 0 ? take_columns(object, recording) : r;
}

int recording_read_head(const char *json, struct recording **ret_recording)
{
    AUTO_JSON json_t *object = json_loads(json, 0, NULL);
    AUTO(recording) struct recording *recording = recording_new();
    int r;

    if (!recording)
        return -ENOMEM;
    r = object ? read_head(object, recording) : -EINVAL;
    if (r < 0)
        return r == -EINVAL ? -EBADMSG : r;
    *ret_recording = TAKE(recording);
    return 0;
}

/* The raw number of a value; -1: it is none. What is not known is NaN. */
static int take_value(const json_t *value, const struct run_column *column, double *ret_raw)
{
    double raw = json_number_value(value);

    if (json_is_null(value)) {
        *ret_raw = NAN;
        return 0;
    }
    if (!json_is_number(value) || !isfinite(raw))
        return -EINVAL;
    if (column->kind == RUN_TOTAL) {
        raw = nearbyint(raw / column->factor);
        if (raw < 0 || raw >= 0x1p62)
            return -EINVAL;
    }
    *ret_raw = raw;
    return 0;
}

/* Adds a row for each time. They ascend. */
static int take_times(const json_t *object, struct recording *recording, struct text *message)
{
    const json_t *times = json_object_get(object, "times");
    double before = 0;

    if (json_array_size(times) == 0)
        return object_refuse(message, "expected a list of seconds as \"times\"");
    for (size_t i = 0; i < json_array_size(times); i++) {
        const json_t *time = json_array_get(times, i);
        const double seconds = json_number_value(time);

        if (!json_is_number(time) || !(seconds > before && seconds < LATEST_SECONDS))
            return object_refuse(message, "expected seconds since the start as \"times\", each "
                                          "greater than the one before");
        before = seconds;
        if (!recording_add_row(recording, (uint64_t)llround(seconds * (double)NS_PER_SECOND)))
            return object_refuse(message, "a run has at most " RUN_BOUNDS);
    }
    return 0;
}

static int take_values(const json_t *object, struct recording *recording, struct text *message)
{
    const json_t *lists = json_object_get(object, "values");

    if (json_array_size(lists) != recording->n_columns)
        return object_refuse(message, "expected as many lists as columns as \"values\"");
    for (size_t c = 0; c < recording->n_columns; c++) {
        const json_t *list = json_array_get(lists, c);

        if (json_array_size(list) != recording->n_rows)
            return object_refuse(message, "\"values\" and \"times\" are not of one length");
        for (size_t i = 0; i < recording->n_rows; i++)
            if (take_value(json_array_get(list, i), &recording->columns[c],
                           &recording->values[i * recording->n_columns + c]) < 0)
                return object_refuse(message, "expected numbers of 0 or more, or null, as "
                                              "\"values\"");
    }
    return 0;
}

/* The texts of a stranger, within their bounds. */
static int check_texts(const json_t *object, struct text *message)
{
    static const struct {
        const char *key;
        size_t most;
        bool has_lines, is_needed;
    } texts[] = {{"title", RUN_TITLE_MAX, false, true},
                 {"notes", RUN_NOTES_MAX, true, false},
                 {"target", 4096, false, true},
                 {"command", 4096, true, false}};

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        AUTO_FREE char *text = NULL;
        int r = object_take_text(object, texts[i].key, texts[i].most, texts[i].has_lines, &text,
                                 message);

        if (r < 0 && r != -ENOENT)
            return r;
        if (texts[i].is_needed && (!text || !*text))
            return object_refuse(message, "\"%s\" is missing", texts[i].key);
    }
    return 0;
}

static int take_imported(const json_t *object, struct recording *recording, struct text *message)
{
    static const char *const keys[] = {"title",  "notes",           "target",  "command",
                                       "start",  "events",          "columns", "times",
                                       "values", "interval_seconds"};
    int r = object_check_keys(object, keys, ARRAY_SIZE(keys), message);

    if (r == 0)
        r = check_texts(object, message);
    if (r < 0)
        return r;
    r = read_head(object, recording);
    if (r == -EINVAL || (r == 0 && recording->n_columns == 0))
        return object_refuse(message, "expected lists of objects as \"columns\" and \"events\"");
    if (r == 0)
        r = take_times(object, recording, message);
    return r < 0 ? r : take_values(object, recording, message);
}

int recording_parse_imported(const char *body, size_t length, struct recording **ret_recording,
                             struct text *ret_message)
{
    AUTO_JSON json_t *object = object_parse(body, length, ret_message);
    AUTO(recording) struct recording *recording = recording_new();
    int r;

    if (!recording)
        return -ENOMEM;
    r = object ? take_imported(object, recording, ret_message) : -EINVAL;
    if (r < 0)
        return r;
    recording->state = RUN_IS_IMPORTED;
    recording->duration_ns = recording->times_ns[recording->n_rows - 1];
    if (!recording->start_realtime_ns)
        recording->start_realtime_ns = clock_realtime_ns() - recording->duration_ns;
    recording->end_realtime_ns = recording->start_realtime_ns + recording->duration_ns;
    *ret_recording = TAKE(recording);
    return 0;
}
