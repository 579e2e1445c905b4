/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/resolution_spans.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "config/config_probes.h"

/* Notes why a span cannot be followed, for one of its events. 0 or -ENOMEM. */
static int explain(struct resolved_span *span, const struct event *event, const char *why)
{
    AUTO_TEXT struct text text = {0};

    text_append_format(&text, "%s: %s", event->name, why);
    span->why = text_take(&text);
    return span->why ? 0 : -ENOMEM;
}

static const char *describe_absence(const struct event *event)
{
    if (event->why)
        return event->why;
    return event->absence == ABSENCE_UNKNOWN_EVENT ? "there is no such event"
                                                   : absence_name(event->absence);
}

/* What a program is attached to sees each hit, whoever has it: modifiers would not be heeded. */
static bool has_modifiers(const struct event *event)
{
    return event->code.exclude_user || event->code.exclude_kernel ||
           event->code.exclude_hypervisor || event->code.exclude_host ||
           event->code.exclude_guest || event->code.exclude_idle;
}

static int judge(struct resolved_span *span, const struct event *event)
{
    if (event->absence != ABSENCE_NONE)
        return explain(span, event, describe_absence(event));
    if (event->kind != EVENT_TRACEPOINT && event->kind != EVENT_PROBE)
        return explain(span, event, "it is neither a tracepoint nor a probe");
    if (has_modifiers(event))
        return explain(span, event, "events of spans have no modifiers");
    return 0;
}

static int find_key(struct resolved_span *span, enum span_side side, const char *key,
                    const struct event_resolver *resolver)
{
    const struct event *event = span->events[side];
    AUTO_FREE char *why = NULL;
    int r;

    if (event->kind == EVENT_PROBE)
        return explain(span, event,
                       "a probe has no fields; the key can only be " CONFIG_KEY_THREAD);
    r = event_resolver_find_field(resolver, event, key, &span->span.keys[side], &why);
    return r == -EINVAL ? explain(span, event, why) : r;
}

static int resolve_side(struct resolved_span *span, enum span_side side,
                        const struct config_span *config, struct event_resolver *resolver)
{
    const char *name = side == SPAN_BEGIN ? config->begin.text : config->end.text;
    const char *key =
        side == SPAN_END && config->end_key.text ? config->end_key.text : config->key.text;
    int r = event_resolve(resolver, name, &span->events[side]);

    if (r < 0)
        return r;
    span->span.events[side] = span->events[side];
    r = judge(span, span->events[side]);
    if (r < 0 || span->why || !key || strcmp(key, CONFIG_KEY_THREAD) == 0)
        return r;
    return find_key(span, side, key, resolver);
}

static int resolve_span(struct resolved_span *span, const struct config_span *config,
                        struct event_resolver *resolver)
{
    int r = 0;

    span->span.name = config->name.text;
    for (enum span_side side = SPAN_BEGIN; side < SPAN_SIDES && r >= 0 && !span->why; side++)
        r = resolve_side(span, side, config, resolver);
    return r;
}

int resolution_resolve_spans(struct resolution *resolution, struct event_resolver *resolver)
{
    const struct config *config = resolution->config;
    AUTO_FREE struct probe_spec *probes = NULL;
    int r = config_probes_make(config, &probes);

    if (r < 0)
        return r;
    resolution->spans = calloc(config->n_spans + 1, sizeof(*resolution->spans));
    if (!resolution->spans)
        return -ENOMEM;
    event_resolver_set_probes(resolver, probes, config->n_probes);
    for (size_t i = 0; i < config->n_spans && r >= 0; i++) {
        resolution->n_spans++;
        r = resolve_span(&resolution->spans[i], &config->spans[i], resolver);
    }
    event_resolver_set_probes(resolver, NULL, 0);
    return r;
}

const struct event *resolution_span_not_looked_up(const struct resolution *resolution)
{
    for (size_t i = 0; i < resolution->n_spans; i++)
        for (size_t side = 0; side < SPAN_SIDES; side++) {
            const struct event *event = resolution->spans[i].events[side];

            if (event && event_could_not_be_looked_up(event))
                return event;
        }
    return NULL;
}

void resolution_free_spans(struct resolution *resolution)
{
    for (size_t i = 0; i < resolution->n_spans; i++) {
        for (size_t side = 0; side < SPAN_SIDES; side++)
            (void)event_free(resolution->spans[i].events[side]);
        free(resolution->spans[i].why);
    }
    free(resolution->spans);
}
