/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A group that several classes have is open once on a CPU, if it counts the same in all of them. So
 * the first class decides what of a group is left out, and the others follow.
 */
#include "resolve/resolution_charged.h"

#include <errno.h>
#include <stdlib.h>

#include "sys/bpf/switch/program.h"

/* A group of a class that was looked at before. */
struct place {
    size_t class, group;
};

static const struct event_group *group_at(const struct resolution *resolution, struct place place)
{
    return &resolution->classes[place.class].groups->groups[place.group];
}

/* The first group of an earlier class that has the same members; itself: there is none. */
static const struct event_group *find_first(const struct resolution *resolution,
                                            const struct pmu_share *share, struct place place)
{
    const struct event_group *group = group_at(resolution, place);

    for (size_t i = CLASS_CGROUP; i < place.class; i++) {
        const struct target_class *class = &resolution->classes[i];

        if (!class->groups || class->pmu || !share->is_shared[class->kind])
            continue;
        for (size_t g = 0; g < class->groups->n_groups; g++)
            if (event_group_has_same_members(&class->groups->groups[g], group))
                return &class->groups->groups[g];
    }
    return group;
}

static bool is_left_out(const struct group_member *member)
{
    return member->absence == ABSENCE_OVER_LIMIT && member->event->absence == ABSENCE_NONE;
}

/*
 * Leaves out what of a group has no room any more. absences: those of its class, which are written.
 */
static void limit_group(const struct event_group *group, const struct event_group *first,
                        size_t *room, enum absence *absences)
{
    for (size_t i = 0; i < group->n_members; i++) {
        enum absence *absence = &absences[group->first + i];

        if (!group->members[i].event->is_of_subsystem || *absence != ABSENCE_NONE)
            continue;
        if (first == group && *room > 0)
            (*room)--;
        else if (first == group || is_left_out(&first->members[i]))
            *absence = ABSENCE_OVER_LIMIT;
    }
}

/* How many events that are no wildcard's the group opens on a CPU. */
static size_t count_named(const struct event_group *group)
{
    size_t n = 0;

    for (size_t i = 0; i < group->n_opened; i++)
        n += !group->members[group->opened[i]].event->is_of_subsystem;
    return n;
}

/* What the events that groups name by themselves leave for wildcards. */
static size_t find_room(const struct resolution *resolution, const struct pmu_share *share)
{
    size_t n_named = 0;

    for (size_t i = CLASS_CGROUP; i < resolution->first_uncore; i++) {
        const struct event_groups *groups = resolution->classes[i].groups;

        for (size_t g = 0; groups && share->is_shared[groups->kind] && g < groups->n_groups; g++) {
            const struct event_group *group = &groups->groups[g];

            if (find_first(resolution, share, (struct place){i, g}) == group)
                n_named += count_named(group);
        }
    }
    return n_named < SWITCH_PROGRAM_EVENTS ? SWITCH_PROGRAM_EVENTS - n_named : 0;
}

int resolution_limit_charged(struct resolution *resolution, const struct pmu_share *share)
{
    size_t room = find_room(resolution, share);

    for (size_t i = CLASS_CGROUP; i < resolution->first_uncore; i++) {
        struct event_groups *groups = resolution->classes[i].groups;
        AUTO_FREE enum absence *absences = NULL;

        if (!groups || !share->is_shared[groups->kind])
            continue;
        absences = calloc(groups->n_events + 1, sizeof(*absences));
        if (!absences)
            return -ENOMEM;
        event_groups_absences(groups, absences);
        for (size_t g = 0; g < groups->n_groups; g++) {
            const struct place place = {i, g};

            limit_group(group_at(resolution, place), find_first(resolution, share, place), &room,
                        absences);
        }
        event_groups_apply(groups, absences);
    }
    return 0;
}
