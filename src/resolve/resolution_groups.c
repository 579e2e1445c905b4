/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/resolution_groups.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "resolve/uncore.h"

/* The specifications of the groups of a class. The arrays of their events are owned. */
struct layout {
    struct group_spec *specs;
    size_t n;
};

static void layout_done(struct layout *layout)
{
    for (size_t i = 0; i < layout->n; i++)
        free((void *)layout->specs[i].events);
    free(layout->specs);
}

static const struct config_group *find_group(const struct config *config, const char *name)
{
    size_t i = 0;

    while (strcmp(config->groups[i].name.text, name) != 0)
        i++; /* config_parse() has seen to it that every group exists */
    return &config->groups[i];
}

/* Keeps a name for the life of the resolution. Takes the name over. NULL: no memory. */
static const char *keep_name(struct resolution *resolution, char *name)
{
    char **names;

    for (size_t i = 0; name && i < resolution->n_part_names; i++)
        if (strcmp(resolution->part_names[i], name) == 0) {
            free(name);
            return resolution->part_names[i];
        }
    names = name ? reallocarray((void *)resolution->part_names, resolution->n_part_names + 1,
                                sizeof(*names))
                 : NULL;
    if (!names) {
        free(name);
        return NULL;
    }
    resolution->part_names = names;
    names[resolution->n_part_names++] = name;
    return name;
}

/* The name of a part, counted from 0. NULL: no memory. */
static const char *name_of_part(struct resolution *resolution, const char *group, size_t part)
{
    AUTO_TEXT struct text name = {0};

    if (part == 0)
        return group;
    text_append_format(&name, "%s/%zu", group, part + 1);
    return keep_name(resolution, text_take(&name));
}

/* Adds the next events of a group as a part of it. */
static int add_part(struct layout *layout, const char *name, const struct event *const *events,
                    size_t n)
{
    struct group_spec *specs = reallocarray(layout->specs, layout->n + 1, sizeof(*specs));
    const struct event **own = calloc(n, sizeof(struct event *));

    if (specs)
        layout->specs = specs;
    if (!specs || !own || !name) {
        free((void *)own);
        return -ENOMEM;
    }
    memcpy((void *)own, (const void *)events, n * sizeof(struct event *));
    specs[layout->n++] = (struct group_spec){.name = name, .events = own, .n_events = n};
    return 0;
}

/* Adds a group in parts; none, if all its events are those of other classes. */
static int add_group(struct resolution *resolution, const struct target_class *class,
                     const struct config_group *group, struct layout *layout)
{
    const struct event **found = NULL;
    const size_t n_found = resolution_group_events(resolution, group, &found);
    AUTO_FREE const struct event **events = found;
    size_t n = 0;
    int r = events ? 0 : -ENOMEM;

    for (size_t i = 0; events && i < n_found; i++)
        if (target_class_may_count(class, events[i]))
            events[n++] = events[i];
    for (size_t first = 0; first < n && r >= 0; first += EVENT_GROUP_MAX) {
        const size_t rest = n - first;

        r = add_part(layout, name_of_part(resolution, group->name.text, first / EVENT_GROUP_MAX),
                     events + first, rest < EVENT_GROUP_MAX ? rest : EVENT_GROUP_MAX);
    }
    return r;
}

int resolution_make_groups(struct resolution *resolution, const struct target_class *class,
                           const struct config_words *names, struct event_groups **ret_groups)
{
    struct layout layout = {0};
    int r = 0;

    for (size_t g = 0; g < names->n && r >= 0; g++)
        r = add_group(resolution, class, find_group(resolution->config, names->words[g].text),
                      &layout);
    if (r >= 0)
        r = event_groups_new(class->kind, layout.specs, layout.n, ret_groups);
    layout_done(&layout);
    return r;
}

void resolution_free_part_names(struct resolution *resolution)
{
    for (size_t i = 0; i < resolution->n_part_names; i++)
        free(resolution->part_names[i]);
    free((void *)resolution->part_names);
}

size_t config_group_most_parts(const struct config_group *group)
{
    size_t most_events = group->n_events;

    for (size_t i = 0; i < group->n_events; i++)
        if (group->events[i].event.text && strpbrk(group->events[i].event.text, EVENT_WILDCARDS))
            most_events += EVENT_WILDCARD_MAX; /* and the one that is over the limit is counted */
    return (most_events + EVENT_GROUP_MAX - 1) / EVENT_GROUP_MAX;
}
