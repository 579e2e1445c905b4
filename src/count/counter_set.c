/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A counter set holds a cell for each group in each place, which is a CPU or a thread. Here is what
 * it is made of and what it says of itself; counter_cells.h has the other parts.
 */
#include "count/counter_set.h"

#include <errno.h>

#include "count/core_kinds.h"
#include "count/counter_cells.h"

int counter_set_new(struct mechanism *mechanism, const struct event_groups *groups,
                    const struct scope *scope, struct counter_set **ret_set)
{
    size_t n_places = scope_n_places(scope);
    size_t n_cells = n_places * groups->n_groups;
    size_t n_bases = n_places * groups->n_events;
    size_t n_parts = scope_most_parts(scope);
    struct counter_set *set;

    /* It is one block of memory, since a cycle walks over it from front to back. */
    set = calloc(1, sizeof(*set) + n_cells * sizeof(*set->cells) + n_places * sizeof(*set->ran_ns) +
                        n_bases * sizeof(*set->bases) +
                        n_bases * n_parts * sizeof(*set->descriptors) +
                        groups->n_groups * (sizeof(*set->starvations) + sizeof(*set->absences)));
    if (!set)
        return -ENOMEM;
    set->mechanism = mechanism;
    set->groups = groups;
    set->scope = *scope;
    set->n_places = n_places;
    set->n_parts = n_parts;
    set->cells = (struct counter_cell *)(set + 1);
    set->ran_ns = (uint64_t *)(set->cells + n_cells);
    set->starvations = (struct starvation *)(set->ran_ns + n_places);
    set->bases = (struct counter_base *)(set->starvations + groups->n_groups);
    set->descriptors = (int *)(set->bases + n_bases);
    set->absences = (enum absence *)(set->descriptors + n_bases * n_parts);
    for (size_t i = 0; i < n_cells; i++) {
        set->cells[i].handle = -1;
        set->n_missing += groups->groups[i % groups->n_groups].n_opened > 0;
    }
    *ret_set = set;
    return 0;
}

const struct scope *counter_set_scope(const struct counter_set *set)
{
    return &set->scope;
}

void counter_set_name_tasks(struct counter_set *set, const pid_t *tasks, size_t n)
{
    set->scope.tasks = tasks;
    set->scope.n_tasks = n;
}

const struct mechanism *counter_set_mechanism(const struct counter_set *set)
{
    return set->mechanism;
}

struct counter_set *counter_set_free(struct counter_set *set)
{
    for (size_t group = 0; set && group < set->groups->n_groups; group++)
        counter_group_close(set, group);
    free(set);
    return NULL;
}

bool counter_set_is_open(const struct counter_set *set, size_t group)
{
    for (size_t place = 0; place < set->n_places; place++)
        if (counter_cell(set, place, group)->handle >= 0)
            return true;
    return false;
}

bool counter_set_is_unread(const struct counter_set *set)
{
    const size_t n = set->n_places * set->groups->n_groups;
    bool is_open = false;

    for (size_t i = 0; i < n; i++) {
        if (set->cells[i].handle >= 0 && set->cells[i].based)
            return false;
        is_open |= set->cells[i].handle >= 0;
    }
    return is_open;
}

static bool is_read_in(const struct counter_set *set, size_t place)
{
    for (size_t group = 0; group < set->groups->n_groups; group++) {
        const struct counter_cell *cell = counter_cell(set, place, group);

        if (cell->handle >= 0 && cell->based)
            return true;
    }
    return false;
}

/* The place of the CPU, from a place on; places are by CPU. n_places: there is none. */
static size_t place_of(const struct counter_set *set, struct cpu_number cpu, size_t place)
{
    const struct cpu_list *cpus = set->scope.cpus;

    while (place < set->n_places && cpus->cpus[place].value < cpu.value)
        place++;
    return place < set->n_places && cpus->cpus[place].value == cpu.value ? place : set->n_places;
}

static void add_ran(const struct counter_set *set, const struct cpu_list *cpus, bool only_read,
                    uint64_t *ran_ns)
{
    size_t first = 0;

    for (size_t i = 0; i < cpus->n && !scope_is_of_threads(&set->scope); i++) {
        const size_t place = place_of(set, cpus->cpus[i], first);

        if (place == set->n_places)
            continue;
        first = place;
        if (only_read && !is_read_in(set, place))
            continue;
        if (ran_ns[i] == UINT64_MAX)
            ran_ns[i] = 0;
        ran_ns[i] += set->ran_ns[place];
    }
}

void counter_set_add_ran(const struct counter_set *set, const struct cpu_list *cpus,
                         uint64_t *ran_ns)
{
    add_ran(set, cpus, true, ran_ns);
}

void counter_set_sum_ran(const struct counter_set *set, const struct cpu_list *cpus,
                         uint64_t *sum_ns)
{
    add_ran(set, cpus, false, sum_ns);
}

bool counter_set_is_incomplete(const struct counter_set *set)
{
    return set->n_missing > 0;
}

bool counter_set_wants_open(const struct counter_set *set, uint64_t now_ns)
{
    return set->n_missing > 0 && now_ns >= set->retry_at_ns;
}

/*
 * Why a group is not counted at all. A group none of whose events can be counted is no reason while
 * other groups count: its events have their own absences.
 */
static enum absence group_absence(const struct counter_set *set, size_t index)
{
    const struct event_group *group = &set->groups->groups[index];
    enum absence absence = ABSENCE_NONE;

    if (group->n_opened > 0)
        return set->absences[index] != ABSENCE_NONE ? set->absences[index]
                                                    : set->starvations[index].absence;
    if (set->groups->n_opened > 0)
        return ABSENCE_NONE;
    for (size_t i = 0; i < group->n_members; i++)
        absence = absence_foremost(absence, group->members[i].absence);
    return absence;
}

enum absence counter_set_absence(const struct counter_set *set)
{
    enum absence absence = ABSENCE_NONE;

    for (size_t group = 0; group < set->groups->n_groups; group++)
        absence = absence_foremost(absence, group_absence(set, group));
    return absence;
}
