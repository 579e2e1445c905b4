/* SPDX-License-Identifier: Apache-2.0 */
#include "check/events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check/notes.h"
#include "config/config_error.h"
#include "config/config_event.h"
#include "resolve/absence_advice.h"

#define EVENT_WIDTH 28 /* of the column of names, unless a name of the group is longer */

size_t check_count_events(const struct resolution *resolution, size_t *ret_absent)
{
    const struct config *config = resolution->config;
    size_t n_events = 0, n_absent = 0;

    for (size_t g = 0; g < config->n_groups; g++) {
        AUTO_FREE const struct event **events = NULL;
        const size_t n = resolution_group_events(resolution, &config->groups[g], &events);

        for (size_t i = 0; events && i < n; i++)
            n_absent += events[i]->absence != ABSENCE_NONE;
        n_events += n;
    }
    *ret_absent = n_absent;
    return n_events;
}

/* What each reason means is said once: most machines lack all events of one PMU. */
static void print_event(const struct event *event, int width, bool *explained)
{
    const bool is_foreign = event->kind == EVENT_PFM && *event->encoding;

    if (event->absence == ABSENCE_NONE) {
        (void)printf("  %-*s %s: %s%s%s\n", width, event->name,
                     *event->pmu ? event->pmu : "unknown PMU", event->encoding,
                     event->counted_as ? ", in its place " : "",
                     event->counted_as ? event->counted_as : "");
        return;
    }
    if (event->why) {
        (void)printf("  %-*s not counted here, %s: %s\n", width, event->name,
                     absence_name(event->absence), event->why);
        return;
    }
    (void)printf("  %-*s not counted here, %s%s%s%s%s\n", width, event->name,
                 absence_name(event->absence), is_foreign ? "; elsewhere " : "",
                 is_foreign ? event->encoding : "", explained[event->absence] ? "" : ": ",
                 explained[event->absence] ? "" : absence_advice(event->absence));
    explained[event->absence] = true;
}

static int widest_name(const struct event *const *events, size_t n)
{
    size_t widest = EVENT_WIDTH;

    for (size_t i = 0; events && i < n; i++)
        if (strlen(events[i]->name) > widest)
            widest = strlen(events[i]->name);
    return (int)widest;
}

void check_print_groups(const struct resolution *resolution)
{
    const struct config *config = resolution->config;
    bool explained[ABSENCE_COUNT_] = {false};

    for (size_t g = 0; g < config->n_groups; g++) {
        const struct config_group *group = &config->groups[g];
        AUTO_FREE const struct event **events = NULL;
        const size_t n = resolution_group_events(resolution, group, &events);
        const int width = widest_name(events, n);

        (void)printf("group %s\n", group->name.text);
        for (size_t i = 0; events && i < n; i++)
            print_event(events[i], width, explained);
    }
}

/*
 * Says what is wrong with a name. The nearest name comes last: where only a modifier is wrong, it
 * would be no help.
 */
int check_explain_unknown(struct event_resolver *resolver, const struct event *event,
                          struct text *text)
{
    AUTO_FREE char *suggestion = NULL;
    const char *const name = event->name;

    if (event->why) {
        text_append_format(text, "%s: %s", name, event->why);
        return 0;
    }
    suggestion = event_resolver_suggest(resolver, name);
    text_append_format(text, "no source of events knows %s; ", SHOWN(name));
    if (suggestion)
        text_append_format(text, "did you mean %s?", suggestion);
    else
        text_append_string(text, "\"pmutool events\" lists what is known here");
    return 0;
}

/*
 * The event of a name that no source knows; NULL: it is known. A name that stands for events of
 * this machine is known, whatever becomes of them.
 */
static const struct event *find_unknown(const struct resolution *resolution, const char *name)
{
    const struct event *event = resolution_find_event(resolution, name);

    return event && event->absence == ABSENCE_UNKNOWN_EVENT ? event : NULL;
}

/* Says what is wrong with a filter, as far as the fields of the event tell. */
static void warn_of_filter(struct check_output *output, const struct resolution *resolution,
                           const struct config_event *entry)
{
    const char *name = config_event_name(entry)->text;
    const struct event *event = resolution_find_event(resolution, name);

    if (!event || event->absence != ABSENCE_BAD_FILTER)
        return;
    check_note(output, entry->filter.place, "warning", "filter %s of %s: %s",
               SHOWN(entry->filter.text), name, event->why);
}

/* Says how many events of a name the limit leaves out. */
static void warn_of_limit(struct check_output *output, const struct resolution *resolution,
                          const struct config_word *name)
{
    const struct event_expansion *expansion = resolution_find_expansion(resolution, name->text);

    if (expansion && expansion->n_beyond > 0)
        check_note(output, name->place, "warning",
                   "%s stands for %zu events, of which the first %zu are taken: write a name that "
                   "stands for fewer",
                   name->text, expansion->n_names + expansion->n_beyond, expansion->n_names);
}

int check_warn_of_unknown_events(struct check_output *output, const struct resolution *resolution,
                                 struct event_resolver *resolver)
{
    const struct config *config = resolution->config;
    int r = 0;

    for (size_t g = 0; g < config->n_groups; g++)
        for (size_t i = 0; i < config->groups[g].n_events && r >= 0; i++) {
            const struct config_word *name = config_event_name(&config->groups[g].events[i]);
            const struct event *unknown = find_unknown(resolution, name->text);
            AUTO_TEXT struct text why = {0};

            warn_of_filter(output, resolution, &config->groups[g].events[i]);
            warn_of_limit(output, resolution, &config->groups[g].events[i].event);
            if (!unknown)
                continue;
            r = check_explain_unknown(resolver, unknown, &why);
            if (r < 0 || text_error(&why) < 0)
                return -ENOMEM;
            check_note(output, name->place, "warning", "%.*s", (int)why.length, why.data);
        }
    return r;
}

/* Where targets.system names a group. */
static struct config_place place_of_group(const struct config *config, const char *group)
{
    const struct config_words *names = &config->system.groups;
    size_t i = 0;

    while (strcmp(names->words[i].text, group) != 0)
        i++;
    return names->words[i].place;
}

void check_note_clocks(struct check_output *output, const struct resolution *resolution)
{
    const struct event_groups *groups = resolution->classes[CLASS_MACHINE].groups;

    if (!groups)
        groups = resolution->classes[CLASS_CPU].groups;
    for (size_t g = 0; groups && g < groups->n_groups; g++)
        for (size_t i = 0; i < groups->groups[g].n_members; i++) {
            const struct event *event = groups->groups[g].members[i].event;

            if (!event->is_clock)
                continue;
            check_note(output, place_of_group(resolution->config, groups->groups[g].name), "note",
                       "system-wide, %s of group %s is wall time: it is left out there and "
                       "counted for cgroups and processes only",
                       event->name, groups->groups[g].name);
        }
}
