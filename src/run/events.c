/* SPDX-License-Identifier: Apache-2.0 */
#include "run/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/config_error.h"
#include "event/expansion.h"
#include "event/generic.h"
#include "sys/perf_event.h"

/*
 * Events that happen in the kernel alone. Counted in user mode they are 0 whatever happens, which
 * would look like a result.
 */
static const char *const kernel_events[] = {"context-switches", "cpu-migrations",
                                            "cgroup-switches"};

static int refuse_event(struct event_resolver *resolver, const char *name, const char *why,
                        struct text *message)
{
    AUTO_FREE char *nearest = event_resolver_suggest(resolver, name);

    text_append_format(message, "unknown event %s", SHOWN(name));
    if (why)
        text_append_format(message, ": %s", why);
    else if (nearest)
        text_append_format(message, ", did you mean %s?", nearest);
    else
        text_append_string(message, "; \"pmutool events\" lists what is known here");
    return -EINVAL;
}

/* Adds a single event. The array has room for it. */
static int add_event(struct run_events *events, struct event_resolver *resolver, const char *name,
                     const char *filter, struct text *message)
{
    struct event **grown = reallocarray(events->events, events->n + 1, sizeof(*grown));
    struct event *event = NULL;
    int r;

    if (!grown)
        return -ENOMEM;
    events->events = grown;
    r = event_resolve(resolver, name, &event);
    if (r < 0)
        return r;
    grown[events->n++] = event;
    if (event->absence == ABSENCE_UNKNOWN_EVENT)
        return refuse_event(resolver, name, event->why, message);
    return filter ? event_set_filter(event, filter) : 0;
}

/* Begins a group of events, of none at first. */
static int begin_group(struct run_events *events, const char *name)
{
    char **names = reallocarray(events->group_names, events->n_groups + 1, sizeof(*names));
    size_t *sizes;

    if (!names)
        return -ENOMEM;
    events->group_names = names;
    sizes = reallocarray(events->group_sizes, events->n_groups + 1, sizeof(*sizes));
    if (!sizes)
        return -ENOMEM;
    events->group_sizes = sizes;
    names[events->n_groups] = strdup(name);
    if (!names[events->n_groups])
        return -ENOMEM;
    sizes[events->n_groups++] = 0;
    return 0;
}

/* Adds what a name stands for: an event, or those that match a wildcard, each as in the braces. */
static int add_name(struct run_events *events, struct event_resolver *resolver,
                    const struct event_name *named, bool is_alone, struct text *message)
{
    struct event_expansion expansion = {0};
    int r = event_expand(resolver, named->name, EVENT_EXPANSION_MAX, &expansion);
    const char *const self[] = {named->name};
    const char *const *names = self;
    size_t n = 1;

    if (r == 0 && expansion.n_names > 0) {
        names = (const char *const *)expansion.names;
        n = expansion.n_names;
        events->n_left_out += expansion.n_beyond;
    }
    for (size_t i = 0; i < n && r == 0; i++) {
        if (is_alone)
            r = begin_group(events, names[i]);
        if (r == 0)
            r = add_event(events, resolver, names[i], named->filter, message);
        if (r == 0)
            events->group_sizes[events->n_groups - 1]++;
    }
    event_expansion_done(&expansion);
    return r;
}

static int add_words(struct run_events *events, struct event_resolver *resolver,
                     const struct event_name_list *list, struct text *message)
{
    int r = 0;

    for (size_t i = 0; i < list->n && r == 0; i++) {
        const struct event_names *words = &list->groups[i];

        if (words->is_group)
            r = begin_group(events, words->n > 0 ? words->names[0].name : "");
        for (size_t k = 0; k < words->n && r == 0; k++)
            r = add_name(events, resolver, &words->names[k], !words->is_group, message);
    }
    return r;
}

int run_events_find(struct event_resolver *resolver, const struct event_name_list *names,
                    struct run_events *events, struct text *ret_message)
{
    return add_words(events, resolver, names, ret_message);
}

int run_events_make_groups(const struct run_events *events, enum scope_kind kind,
                           struct event_groups **ret_groups)
{
    AUTO_FREE struct group_spec *specs = calloc(events->n_groups + 1, sizeof(*specs));
    size_t first = 0;

    if (!specs)
        return -ENOMEM;
    for (size_t i = 0; i < events->n_groups; i++) {
        specs[i] =
            (struct group_spec){.name = events->group_names[i],
                                .events = (const struct event *const *)events->events + first,
                                .n_events = events->group_sizes[i]};
        first += events->group_sizes[i];
    }
    return event_groups_new(kind, specs, events->n_groups, ret_groups);
}

/* Whether it makes sense to count the event in user mode, and that was not asked for already. */
static bool can_be_restricted(const struct event *event)
{
    const struct event_code *code = &event->code;

    if (code->exclude_user || code->exclude_kernel || code->exclude_hypervisor ||
        event->kind == EVENT_TRACEPOINT || event->kind == EVENT_PROBE || event->is_uncore)
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(kernel_events); i++)
        if (strcmp(event_generic_canonical(event->name), kernel_events[i]) == 0)
            return false;
    return true;
}

/* Puts the same event in user mode in its place. 1, 0 if there is no such event, or -errno. */
static int restrict_event(struct event **event, struct event_resolver *resolver)
{
    AUTO(event) struct event *restricted = NULL;
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *name = NULL;
    const size_t length = strlen((*event)->name);
    int r;

    text_append_format(&text, "%s%su", (*event)->name,
                       length > 0 && (*event)->name[length - 1] == '/' ? "" : ":");
    name = text_take(&text);
    r = name ? event_resolve(resolver, name, &restricted) : -ENOMEM;
    if (r < 0 || restricted->absence != ABSENCE_NONE)
        return r;
    (void)event_free(*event);
    *event = TAKE(restricted);
    return 1;
}

/*
 * Puts others in the place of events that the kernel refuses: in user mode alone where rights are
 * missing, or the nearest where the PMU does not have them. 1: some are others now; 0; -errno.
 */
static int replace_events(struct run_events *events, struct event_resolver *resolver,
                          const enum absence *absences)
{
    bool has_changed = false;

    for (size_t i = 0; i < events->n; i++) {
        int r = 0;

        if (absences[i] == ABSENCE_NOT_PERMITTED && can_be_restricted(events->events[i]))
            r = restrict_event(&events->events[i], resolver);
        if (r < 0)
            return r;
        events->is_restricted |= r > 0;
        has_changed |= r > 0;
        if (absences[i] == ABSENCE_NOT_SUPPORTED && events->events[i]->fallback) {
            r = event_take_fallback(events->events[i], events->events[i]->fallback);
            if (r < 0)
                return r;
            has_changed = true;
        }
    }
    return has_changed;
}

/*
 * Says why the kernel refuses probes for tasks: ours are inherited by what the tasks start, and the
 * kernel lets no probe be inherited. 0 or -ENOMEM.
 */
static int explain_probes(struct run_events *events, const struct scope *scope,
                          const enum absence *absences)
{
    for (size_t i = 0; i < events->n && scope_is_of_threads(scope); i++) {
        struct event *event = events->events[i];

        if (event->kind != EVENT_PROBE || absences[i] != ABSENCE_NOT_SUPPORTED || event->why)
            continue;
        event->why = strdup("the kernel counts no probe of a task with those of what it starts; "
                            "expected -a or -G");
        if (!event->why)
            return -ENOMEM;
    }
    return 0;
}

int run_events_probe(struct run_events *events, struct event_resolver *resolver,
                     const struct scope *scope)
{
    AUTO_FREE enum absence *absences = calloc(events->n + 1, sizeof(*absences));
    int r;

    if (!absences)
        return -ENOMEM;
    do {
        events->groups = event_groups_free(events->groups);
        r = run_events_make_groups(events, scope->kind, &events->groups);
        if (r == 0)
            r = event_groups_probe(events->groups, &perf_ops_kernel, scope, absences);
        if (r == 0)
            r = replace_events(events, resolver, absences);
    } while (r > 0);
    if (r == 0)
        r = explain_probes(events, scope, absences);
    if (r == 0)
        event_groups_apply(events->groups, absences);
    return r;
}

void run_events_done(struct run_events *events)
{
    events->groups = event_groups_free(events->groups);
    for (size_t i = 0; i < events->n; i++)
        (void)event_free(events->events[i]);
    for (size_t i = 0; i < events->n_groups; i++)
        free(events->group_names[i]);
    free(events->events);
    free(events->group_names);
    free(events->group_sizes);
    *events = (struct run_events){0};
}
