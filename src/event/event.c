/* SPDX-License-Identifier: Apache-2.0 */
#include "event/event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "event/tracepoint_fields.h"

static const char *const kind_names[EVENT_KIND_COUNT_] = {
    [EVENT_UNKNOWN] = "unknown",   [EVENT_HARDWARE] = "hardware",
    [EVENT_SOFTWARE] = "software", [EVENT_CACHE] = "cache",
    [EVENT_RAW] = "raw",           [EVENT_PMU] = "pmu",
    [EVENT_PFM] = "libpfm4",       [EVENT_TRACEPOINT] = "tracepoint",
    [EVENT_PROBE] = "probe",
};

const char *event_kind_name(enum event_kind kind)
{
    return kind_names[kind];
}

bool event_code_equal(const struct event_code *a, const struct event_code *b)
{
    return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
           a->config2 == b->config2 && a->core_type == b->core_type &&
           a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
           a->exclude_hypervisor == b->exclude_hypervisor && a->exclude_host == b->exclude_host &&
           a->exclude_guest == b->exclude_guest && a->exclude_idle == b->exclude_idle &&
           shared_text_equal(a->config1_text, b->config1_text) &&
           a->config1_device == b->config1_device && a->config1_inode == b->config1_inode &&
           shared_text_equal(a->filter, b->filter);
}

struct event_code event_code_copy(const struct event_code *code)
{
    struct event_code copy = *code;

    copy.config1_text = shared_text_ref(code->config1_text);
    copy.filter = shared_text_ref(code->filter);
    return copy;
}

void event_code_done(struct event_code *code)
{
    code->config1_text = shared_text_unref(code->config1_text);
    code->filter = shared_text_unref(code->filter);
}

bool event_is_same(const struct event *a, const struct event *b)
{
    if (a->absence != ABSENCE_NONE || b->absence != ABSENCE_NONE)
        return strcmp(a->name, b->name) == 0;
    return event_code_equal(&a->code, &b->code);
}

bool event_could_not_be_looked_up(const struct event *event)
{
    return event->kind == EVENT_TRACEPOINT &&
           (event->absence == ABSENCE_NOT_SUPPORTED || event->absence == ABSENCE_NOT_PERMITTED);
}

bool event_counts_nanoseconds(const struct event *event)
{
    return event->unit && strcmp(event->unit, "seconds") == 0 &&
           event->scale == EVENT_SCALE_NANOSECONDS;
}

static bool has_fields(const struct event *event)
{
    return event->kind == EVENT_TRACEPOINT || event->kind == EVENT_PROBE;
}

/* Of an event that can be counted without the filter, or has no fields on any machine: what is
 * wrong with that. 0 or -ENOMEM. */
static int find_fault(struct event *event, const char *filter)
{
    AUTO_TEXT struct text fault = {0};

    if (!has_fields(event))
        text_append_string(&fault, "only tracepoints and probes have fields for a filter");
    else if (event->fields)
        tracepoint_append_fault(event->fields, filter, &fault);
    if (fault.length == 0)
        return text_error(&fault);
    free(event->why);
    event->why = text_take(&fault);
    event->absence = ABSENCE_BAD_FILTER;
    return event->why ? 0 : -ENOMEM;
}

int event_set_filter(struct event *event, const char *filter)
{
    AUTO(shared_text) struct shared_text *shared = shared_text_new(filter);
    AUTO_TEXT struct text encoding = {0};
    AUTO_FREE char *described = NULL;

    if (*event->encoding) /* a name that nothing knows has none */
        text_append_format(&encoding, "%s --filter '%s'", event->encoding, filter);
    described = text_take(&encoding);
    if (!shared || !described)
        return -ENOMEM;
    (void)shared_text_unref(event->code.filter);
    event->code.filter = TAKE(shared);
    free(event->encoding);
    event->encoding = TAKE(described);
    if (event->absence == ABSENCE_UNKNOWN_EVENT ||
        (event->absence != ABSENCE_NONE && has_fields(event)))
        return 0;
    return find_fault(event, filter);
}

int event_join_subsystem(struct event *event)
{
    char *metric;

    if (event->kind != EVENT_TRACEPOINT)
        return 0;
    metric = strdup("tracepoint_hits");
    if (!metric)
        return -ENOMEM;
    free(event->metric);
    event->metric = metric;
    event->is_of_subsystem = true;
    return 0;
}

/* Takes one of the fallbacks out of the event. Those behind it stay, those before it are freed. */
static struct event *take_out(struct event *event, const struct event *wanted)
{
    for (;;) {
        struct event *first = TAKE(event->fallback);

        event->fallback = TAKE(first->fallback);
        if (first == wanted)
            return first;
        (void)event_free(first);
    }
}

int event_take_fallback(struct event *event, const struct event *wanted)
{
    AUTO(event) struct event *fallback = take_out(event, wanted);
    char *description;

    if (asprintf(&description, "%s, counted as %s: %s", event->description, fallback->name,
                 fallback->description) < 0)
        return -ENOMEM;
    free(event->description);
    free(event->encoding);
    free(event->pmu);
    free(event->counted_as);
    event_code_done(&event->code);
    event->description = description;
    event->encoding = TAKE(fallback->encoding);
    event->pmu = TAKE(fallback->pmu);
    event->counted_as = TAKE(fallback->name);
    event->code = event_code_copy(&fallback->code);
    event->takes_counter = fallback->takes_counter;
    return 0;
}

struct event *event_new_absent(const char *name, enum absence absence, struct text *why)
{
    AUTO(event) struct event *event = calloc(1, sizeof(*event));

    if (!event)
        return NULL;
    event->absence = absence;
    event->scale = 1;
    event->name = strdup(name);
    event->metric = strdup("");
    event->description = strdup("");
    event->encoding = strdup("");
    event->pmu = strdup("");
    event->why = text_take(why);
    if (!event->name || !event->metric || !event->description || !event->encoding || !event->pmu ||
        !event->why)
        return NULL;
    return TAKE(event);
}

struct event *event_free(struct event *event)
{
    if (!event)
        return NULL;
    event->fallback = event_free(event->fallback);
    free(event->counted_as);
    free(event->name);
    free(event->metric);
    free(event->description);
    free(event->encoding);
    free(event->pmu);
    free(event->unit);
    free(event->fields);
    free(event->why);
    event_code_done(&event->code);
    free(event);
    return NULL;
}
