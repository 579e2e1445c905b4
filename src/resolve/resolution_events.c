/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/resolution_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "config/config_event.h"
#include "config/config_probes.h"
#include "resolve/resolution_spans.h"

const struct event *resolution_find_event(const struct resolution *resolution, const char *name)
{
    for (size_t i = 0; i < resolution->n_events; i++)
        if (strcmp(resolution->events[i]->name, name) == 0)
            return resolution->events[i];
    return NULL;
}

const struct event_expansion *resolution_find_expansion(const struct resolution *resolution,
                                                        const char *name)
{
    for (size_t i = 0; i < resolution->n_expanded; i++)
        if (strcmp(resolution->expanded[i].name, name) == 0)
            return &resolution->expanded[i].expansion;
    return NULL;
}

/* The name that the configuration gives an event on /metrics, where it gives one. */
static int apply_rename(const struct config *config, struct event *event)
{
    for (size_t i = 0; i < config->n_renames; i++) {
        char *name;

        if (strcmp(config->renames[i].event.text, event->name) != 0)
            continue;
        name = strdup(config->renames[i].name.text);
        if (!name)
            return -ENOMEM;
        free(event->metric);
        event->metric = name;
    }
    return 0;
}

/* The name and the filter that the entry of a group gives an event. */
static int apply_entry(const struct config_event *entry, struct event *event)
{
    if (entry->name.text) {
        char *name = strdup(entry->name.text), *metric = strdup(entry->name.text);

        free(event->name);
        free(event->metric);
        event->name = name;
        event->metric = metric;
        if (!name || !metric)
            return -ENOMEM;
    }
    return entry->filter.text ? event_set_filter(event, entry->filter.text) : 0;
}

/* Whether a group has the event by this very name, and not by a wildcard. */
static bool is_listed(const struct config *config, const char *name)
{
    for (size_t g = 0; g < config->n_groups; g++)
        for (size_t i = 0; i < config->groups[g].n_events; i++)
            if (strcmp(config->groups[g].events[i].event.text, name) == 0)
                return true;
    return false;
}

/*
 * Adds a single event, unless another entry has added it already. name: that of the event, which
 * may be one of several that the entry stands for.
 */
static int add_event(struct resolution *resolution, struct event_resolver *resolver,
                     const struct config_event *entry, const char *name)
{
    AUTO(event) struct event *event = NULL;
    struct event **events;
    int r;

    if (resolution_find_event(resolution, entry->name.text ? entry->name.text : name))
        return 0;
    r = event_resolve(resolver, name, &event);
    if (r >= 0)
        r = is_listed(resolution->config, name) ? 0 : event_join_subsystem(event);
    if (r >= 0)
        r = apply_entry(entry, event);
    if (r >= 0)
        r = apply_rename(resolution->config, event);
    if (r < 0)
        return r;
    events = reallocarray(resolution->events, resolution->n_events + 1, sizeof(*events));
    if (!events)
        return -ENOMEM;
    resolution->events = events;
    events[resolution->n_events++] = TAKE(event);
    return 0;
}

/* Keeps what a name stands for. The resolution owns the expansion even if this fails. */
static int keep_expansion(struct resolution *resolution, const char *name,
                          struct event_expansion *expansion)
{
    struct expanded_name *expanded =
        reallocarray(resolution->expanded, resolution->n_expanded + 1, sizeof(*expanded));

    if (!expanded) {
        event_expansion_done(expansion);
        return -ENOMEM;
    }
    resolution->expanded = expanded;
    expanded[resolution->n_expanded++] =
        (struct expanded_name){.name = name, .expansion = *expansion};
    return 0;
}

/* A name that stands for more events than are counted is shown to be over the limit. */
static int add_rest(struct resolution *resolution, const char *name, size_t n_beyond)
{
    AUTO_TEXT struct text why = {0};
    struct event **events =
        reallocarray(resolution->events, resolution->n_events + 1, sizeof(*events));
    struct event *event;

    if (!events)
        return -ENOMEM;
    resolution->events = events;
    text_append_format(&why,
                       "%zu more events than %d have this name, and are left out; expected a "
                       "narrower name, or several of them",
                       n_beyond, EVENT_WILDCARD_MAX);
    event = event_new_absent(name, ABSENCE_OVER_LIMIT, &why);
    if (event)
        events[resolution->n_events++] = event;
    return event ? 0 : -ENOMEM;
}

/* A name that no event of this machine has is added as it is: its absence is to be seen. */
static int add_entry(struct resolution *resolution, struct event_resolver *resolver,
                     const struct config_event *entry)
{
    const char *name = entry->event.text;
    struct event_expansion expansion;
    int r;

    if (resolution_find_expansion(resolution, name))
        return 0;
    r = event_expand(resolver, name, EVENT_WILDCARD_MAX, &expansion);
    if (r < 0)
        return r;
    if (expansion.n_names == 0)
        return add_event(resolution, resolver, entry, name);
    r = keep_expansion(resolution, name, &expansion);
    for (size_t i = 0; i < expansion.n_names && r >= 0; i++)
        r = add_event(resolution, resolver, entry, expansion.names[i]);
    if (r >= 0 && expansion.n_beyond > 0)
        r = add_rest(resolution, name, expansion.n_beyond);
    return r;
}

static int resolve_listed(struct resolution *resolution, struct event_resolver *resolver)
{
    int r = 0;

    for (size_t g = 0; g < resolution->config->n_groups; g++) {
        const struct config_group *group = &resolution->config->groups[g];

        for (size_t i = 0; i < group->n_events && r >= 0; i++)
            r = add_entry(resolution, resolver, &group->events[i]);
    }
    return r;
}

int resolution_resolve_events(struct resolution *resolution, struct event_resolver *resolver)
{
    AUTO_FREE struct probe_spec *probes = NULL;
    int r = config_probes_make(resolution->config, &probes);

    if (r < 0)
        return r;
    event_resolver_set_probes(resolver, probes, resolution->config->n_probes);
    r = resolve_listed(resolution, resolver);
    event_resolver_set_probes(resolver, NULL, 0);
    return r;
}

/*
 * Whether a name that could not be looked up gets another answer now; that no event has it is one,
 * too. It is enough to ask of one name, since tracefs is there for all of them or for none.
 */
static bool is_answered_otherwise(struct event_resolver *resolver, const char *name,
                                  const struct event *before)
{
    AUTO(event) struct event *now = NULL;

    return event_resolve(resolver, name, &now) >= 0 && now->absence != before->absence;
}

bool resolution_could_find_more(const struct resolution *resolution,
                                struct event_resolver *resolver)
{
    const struct event *of_span;

    for (size_t g = 0; g < resolution->config->n_groups; g++) {
        const struct config_group *group = &resolution->config->groups[g];

        for (size_t i = 0; i < group->n_events; i++) {
            const struct config_event *entry = &group->events[i];
            const struct event *event =
                resolution_find_event(resolution, config_event_name(entry)->text);

            if (event && event_could_not_be_looked_up(event))
                return is_answered_otherwise(resolver, entry->event.text, event);
        }
    }
    of_span = resolution_span_not_looked_up(resolution);
    return of_span && is_answered_otherwise(resolver, of_span->name, of_span);
}

void resolution_free_events(struct resolution *resolution)
{
    for (size_t i = 0; i < resolution->n_events; i++)
        (void)event_free(resolution->events[i]);
    for (size_t i = 0; i < resolution->n_expanded; i++)
        event_expansion_done(&resolution->expanded[i].expansion);
    free(resolution->events);
    free(resolution->expanded);
}

/* Adds an event to a group that does not have it yet, and returns how many the group has. */
static size_t add_once(const struct event **events, size_t n, const struct event *event)
{
    for (size_t i = 0; i < n; i++)
        if (events[i] == event)
            return n;
    events[n] = event;
    return n + 1;
}

/* Adds the events for which the name of an entry stands, if it stands for several. */
static size_t add_expanded(const struct resolution *resolution, const struct config_event *entry,
                           const struct event **events, size_t n)
{
    const struct event_expansion *expansion =
        resolution_find_expansion(resolution, entry->event.text);

    for (size_t i = 0; expansion && i < expansion->n_names; i++)
        n = add_once(events, n, resolution_find_event(resolution, expansion->names[i]));
    return n;
}

/* Adds what an entry names by itself. */
static size_t add_named(const struct resolution *resolution, const struct config_event *entry,
                        const struct event **events, size_t n)
{
    if (resolution_find_expansion(resolution, entry->event.text))
        return n;
    return add_once(events, n, resolution_find_event(resolution, config_event_name(entry)->text));
}

/* Adds the event that shows that an entry stands for more events than are counted. */
static size_t add_beyond(const struct resolution *resolution, const struct config_event *entry,
                         const struct event **events, size_t n)
{
    const struct event_expansion *expansion =
        resolution_find_expansion(resolution, entry->event.text);

    if (!expansion || expansion->n_beyond == 0)
        return n;
    return add_once(events, n, resolution_find_event(resolution, entry->event.text));
}

size_t resolution_group_events(const struct resolution *resolution,
                               const struct config_group *group, const struct event ***ret_events)
{
    /* No group has an event twice, so that none has more than there are. */
    const struct event **events = calloc(resolution->n_events + 1, sizeof(*events));
    size_t n = 0;

    for (size_t i = 0; events && i < group->n_events; i++)
        n = add_named(resolution, &group->events[i], events, n);
    for (size_t i = 0; events && i < group->n_events; i++)
        n = add_expanded(resolution, &group->events[i], events, n);
    for (size_t i = 0; events && i < group->n_events; i++)
        n = add_beyond(resolution, &group->events[i], events, n);
    *ret_events = events;
    return n;
}
