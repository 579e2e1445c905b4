/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Names of metrics. Prometheus refuses a whole scrape in which two families have one name. So any
 * two that a configuration can give the same name are refused here: events, ratios, rates of
 * events, and metrics that the exporter has itself.
 *
 * Names are compared without the prefix of the scope and without _total, as "task_clock_seconds":
 * in OpenMetrics the family of a counter is called so, and a gauge of that name would be a second.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/config_error.h"
#include "config/config_event.h"
#include "config/config_validate.h"
#include "event/expansion.h"
#include "event/generic.h"
#include "event/metric_name.h"
#include "event/modifiers.h"
#include "metric/builtin_ratios.h"

/* Names that a scope has beside those of its events and ratios: of counters, of gauges, of
 * histograms. */
static const char *const reserved[] = {
    "group_enabled_seconds",
    "group_running_seconds",
    "cpu_seconds",
    "cpu_user_seconds",
    "cpu_system_seconds",
    "cpu_time_by_cpu_seconds",
    "cpu_time_by_node_seconds",
    "context_switches_by_cpu",
    "context_switches_by_node",
    "tracepoint_hits",
    "switches",
    "migrations",
    "block_io_requests",
    "block_io_bytes",
    "block_io_errors",
    "system_calls",
    "system_call_errors",
    "kvm_exits",
    "kvm_entries",
    "tcp_retransmits",
    "tcp_connects",
    "tcp_connect_errors",

    "info",
    "start_time_seconds",
    "created_time_seconds",
    "group_coverage_ratio",
    "cpus_used",
    "members",
    "unattributed_ratio",
    "cpus",

    "run_queue_latency_seconds",
    "on_cpu_seconds",
    "off_cpu_seconds",
    "block_io_latency_seconds",
    "block_io_queue_seconds",
    "softirq_seconds",
    "hardirq_seconds",
    "kvm_exit_seconds",
    "tcp_connect_seconds",
    "span_seconds",
    "system_call_seconds",
};

struct named_event {
    const struct config_event *event;
    const struct config_word *word; /* its name */
    char *family;
};

struct named_events {
    struct named_event *events; /* ordered by family, then by place in the configuration */
    size_t n;
};

static void cleanup_named_events(struct named_events *named)
{
    for (size_t i = 0; i < named->n; i++)
        free(named->events[i].family);
    free(named->events);
}

static const struct config_rename *find_rename(const struct config *config, size_t n,
                                               const char *event)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(config->renames[i].event.text, event) == 0)
            return &config->renames[i];
    return NULL;
}

static char *family_of(const struct config *config, const struct config_event *event)
{
    const struct config_rename *rename =
        find_rename(config, config->n_renames, config_event_name(event)->text);
    const struct config_word *given = rename ? &rename->name : &event->name;
    struct event_code modifiers;
    AUTO_FREE char *base =
        strndup(event->event.text, modifiers_split(event->event.text, &modifiers));
    AUTO_FREE char *name = NULL;
    char *family;

    if (!base)
        return NULL;
    if (!given->text && strpbrk(base, EVENT_WILDCARDS)) /* it is several events, of any name */
        return strdup(base);
    name = given->text ? strdup(given->text) : metric_name_from_event(base, &modifiers);
    /* the family of a clock ends in its unit */
    if (!name ||
        asprintf(&family, "%s%s", name, event_generic_names_clock(base) ? "_seconds" : "") < 0)
        return NULL;
    return family;
}

static int compare_named_events(const void *a, const void *b)
{
    const struct named_event *left = a, *right = b;
    int order = strcmp(left->family, right->family);

    if (order)
        return order;
    if (left->word->place.line != right->word->place.line)
        return left->word->place.line < right->word->place.line ? -1 : 1;
    return (left->word->place.column > right->word->place.column) -
           (left->word->place.column < right->word->place.column);
}

static int name_events(const struct config *config, struct named_events *named)
{
    size_t total = 0;

    for (size_t i = 0; i < config->n_groups; i++)
        total += config->groups[i].n_events;
    named->events = calloc(total + 1, sizeof(*named->events));
    if (!named->events)
        return -ENOMEM;
    for (size_t i = 0; i < config->n_groups; i++) {
        for (size_t j = 0; j < config->groups[i].n_events; j++) {
            const struct config_event *event = &config->groups[i].events[j];
            struct named_event *entry = &named->events[named->n];

            *entry = (struct named_event){.event = event,
                                          .word = config_event_name(event),
                                          .family = family_of(config, event)};
            if (!entry->family)
                return -ENOMEM;
            named->n++;
        }
    }
    qsort(named->events, named->n, sizeof(*named->events), compare_named_events);
    return 0;
}

/* Whether both count the same, where both have the same name. */
static bool is_same(const struct config_event *a, const struct config_event *b)
{
    if (strcmp(a->event.text, b->event.text) != 0 || !a->filter.text != !b->filter.text)
        return false;
    return !a->filter.text || strcmp(a->filter.text, b->filter.text) == 0;
}

static bool is_reserved(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return false;
}

static bool is_builtin_ratio(const char *name)
{
    for (size_t i = 0; i < n_builtin_ratios; i++)
        if (strcmp(name, builtin_ratios[i].name) == 0)
            return true;
    return false;
}

/* The event whose family, with this ending, has this name; NULL: there is none. */
static const struct named_event *find_family(const struct named_events *named, const char *name,
                                             const char *ending)
{
    const size_t length = strlen(name), n = strlen(ending);

    if (length <= n || strcmp(name + length - n, ending) != 0)
        return NULL;
    for (size_t i = 0; i < named->n; i++)
        if (strlen(named->events[i].family) == length - n &&
            memcmp(named->events[i].family, name, length - n) == 0)
            return &named->events[i];
    return NULL;
}

/* What an event has beside its total. OpenMetrics keeps one name more for each counter. */
static const struct {
    const char *ending, *what;
} beside_totals[] = {
    {"_per_second", "the rate"},
    {"_created", "in OpenMetrics the beginning"},
};

/* Refuses a name that is one of those beside the total of an event. */
static int check_beside_totals(const struct named_events *named, const struct config_word *word,
                               const char *name, struct config_error *ret_error)
{
    for (size_t i = 0; i < ARRAY_SIZE(beside_totals); i++) {
        const struct named_event *other = find_family(named, name, beside_totals[i].ending);

        if (other)
            return config_error_set(ret_error, word->place,
                                    "the name %s is %s of event %s (at %u:%u); expected another "
                                    "name",
                                    SHOWN(name), beside_totals[i].what, SHOWN(other->word->text),
                                    other->word->place.line, other->word->place.column);
    }
    return 0;
}

static int check_neighbours(const struct named_event *event, const struct named_event *before,
                            struct config_error *ret_error)
{
    if (strcmp(event->family, before->family) != 0)
        return 0;
    if (strcmp(event->word->text, before->word->text) != 0)
        return config_error_set(ret_error, event->word->place,
                                "events %s and %s (at %u:%u) would both be called %s; "
                                "expected one of them, or a rename of one",
                                SHOWN(event->word->text), SHOWN(before->word->text),
                                before->word->place.line, before->word->place.column,
                                SHOWN(event->family));
    if (!is_same(event->event, before->event))
        return config_error_set(ret_error, event->word->place,
                                "event %s has another filter or another event at %u:%u; "
                                "expected a \"name\" of its own for one of them",
                                SHOWN(event->word->text), before->word->place.line,
                                before->word->place.column);
    return 0;
}

/* The events are sorted by their families, so that two of the same name are neighbours. */
static int check_families(const struct named_events *named, struct config_error *ret_error)
{
    int r = 0;

    for (size_t i = 0; i < named->n && r == 0; i++) {
        const struct named_event *event = &named->events[i];

        if (is_reserved(event->family) || is_builtin_ratio(event->family))
            return config_error_set(ret_error, event->word->place,
                                    "event %s would be called %s, which the exporter has itself; "
                                    "expected a rename to another name",
                                    SHOWN(event->word->text), SHOWN(event->family));
        r = check_beside_totals(named, event->word, event->family, ret_error);
        if (r == 0 && i > 0)
            r = check_neighbours(event, event - 1, ret_error);
    }
    return r;
}

static int refuse_metric_name(const struct config_word *name, struct config_error *ret_error)
{
    return config_error_set(ret_error, name->place,
                            "%s is not a valid metric name; expected lower case letters, digits "
                            "and \"_\", no digit first and no \"_total\" last",
                            SHOWN(name->text));
}

static int refuse_unlisted_event(const struct named_events *named, const struct config_word *word,
                                 struct config_error *ret_error)
{
    AUTO_FREE const char **names = calloc(named->n + 1, sizeof(*names));
    int r;

    if (!names)
        return -ENOMEM;
    for (size_t i = 0; i < named->n; i++)
        names[i] = named->events[i].word->text;
    r = config_error_set(ret_error, word->place,
                         "no group lists event %s; expected an event of a group",
                         SHOWN(word->text));
    config_error_suggest(ret_error, word->text, names, named->n);
    return r;
}

static int check_rename(const struct config *config, size_t index, const struct named_events *named,
                        struct config_error *ret_error)
{
    const struct config_rename *rename = &config->renames[index];
    const struct config_rename *first = find_rename(config, index, rename->event.text);

    if (first)
        return config_error_set(ret_error, rename->event.place,
                                "event %s is renamed twice; expected once, the first is at %u:%u",
                                SHOWN(rename->event.text), first->event.place.line,
                                first->event.place.column);
    if (!metric_name_valid(rename->name.text))
        return refuse_metric_name(&rename->name, ret_error);
    if (strpbrk(rename->event.text, EVENT_WILDCARDS))
        return config_error_set(ret_error, rename->event.place,
                                "%s stands for several events; expected the name of one event",
                                SHOWN(rename->event.text));
    for (size_t i = 0; i < named->n; i++)
        if (strcmp(named->events[i].word->text, rename->event.text) == 0)
            return 0;
    return refuse_unlisted_event(named, &rename->event, ret_error);
}

static int check_ratio_name(const struct config *config, size_t index,
                            const struct named_events *named, struct config_error *ret_error)
{
    const struct config_word *name = &config->ratios[index].name;
    const struct named_event *event = find_family(named, name->text, "");

    if (!metric_name_valid(name->text))
        return refuse_metric_name(name, ret_error);
    if (is_reserved(name->text))
        return config_error_set(ret_error, name->place,
                                "the exporter has a metric %s itself; expected another name",
                                SHOWN(name->text));
    if (event)
        return config_error_set(ret_error, name->place,
                                "%s is the name of event %s (at %u:%u); expected another name",
                                SHOWN(name->text), SHOWN(event->word->text),
                                event->word->place.line, event->word->place.column);
    for (size_t i = 0; i < index; i++)
        if (strcmp(config->ratios[i].name.text, name->text) == 0)
            return config_error_set(ret_error, name->place,
                                    "duplicate ratio %s; expected it once, the first is at %u:%u",
                                    SHOWN(name->text), config->ratios[i].name.place.line,
                                    config->ratios[i].name.place.column);
    return check_beside_totals(named, name, name->text, ret_error);
}

int config_validate_names(const struct config *config, struct config_error *ret_error)
{
    struct named_events named __attribute__((cleanup(cleanup_named_events))) = {0};
    int r = name_events(config, &named);

    for (size_t i = 0; r == 0 && i < named.n; i++)
        if (named.events[i].event->name.text && !metric_name_valid(named.events[i].word->text))
            r = refuse_metric_name(named.events[i].word, ret_error);
    for (size_t i = 0; r == 0 && i < config->n_renames; i++)
        r = check_rename(config, i, &named, ret_error);
    if (r == 0)
        r = check_families(&named, ret_error);
    for (size_t i = 0; r == 0 && i < config->n_ratios; i++)
        r = check_ratio_name(config, i, &named, ret_error);
    return r;
}
