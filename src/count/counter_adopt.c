/* SPDX-License-Identifier: Apache-2.0 */

/*
 * How a counter set goes on with what another one has open: cell by cell, each with its base
 * reading, so that nothing that is counted meanwhile is lost.
 */
#include <string.h>

#include "count/counter_cells.h"
#include "count/counter_set.h"
#include "count/counter_starvation.h"

/* A group in a place of a set. */
struct cell_of {
    struct counter_set *set;
    size_t place, group;
};

/* Moves a cell that is open, or whose thread has ended. One that is open already stays. */
static void adopt_cell(struct cell_of to, struct cell_of old)
{
    struct counter_set *set = to.set, *from = old.set;
    struct counter_cell *cell = counter_cell(set, to.place, to.group);
    struct counter_cell *from_cell = counter_cell(from, old.place, old.group);
    size_t to_first = counter_first(set, to.place, to.group);
    size_t from_first = counter_first(from, old.place, old.group);
    size_t n = set->groups->groups[to.group].n_opened;

    if (cell->handle >= 0 || (from_cell->handle < 0 && !from_cell->ended))
        return;
    *cell = *from_cell;
    *from_cell = (struct counter_cell){.handle = -1};
    memcpy(&set->bases[to_first], &from->bases[from_first], n * sizeof(*set->bases));
    memcpy(counter_descriptors(set, to.place, to.group),
           counter_descriptors(from, old.place, old.group),
           n * set->n_parts * sizeof(*set->descriptors));
    set->n_missing--;
    from->n_missing += cell->handle >= 0;
}

/* Whether both scopes are the same threads or processes, which are counted in the same way. */
static bool same_processes(const struct scope *a, const struct scope *b)
{
    if (a->inherit != b->inherit || scope_is_of_threads(a) != scope_is_of_threads(b))
        return false;
    if (!scope_is_of_threads(a))
        return a->process == b->process;
    return a->n_tasks == b->n_tasks &&
           memcmp(a->tasks, b->tasks, a->n_tasks * sizeof(*a->tasks)) == 0;
}

/* Whether both places are of the same CPU, and of the same instance of a PMU that has several. */
static bool is_same_place(const struct scope *a, size_t place_a, const struct scope *b,
                          size_t place_b)
{
    if (a->cpus->cpus[place_a].value != b->cpus->cpus[place_b].value)
        return false;
    if (!a->pmu_types || !b->pmu_types)
        return a->pmu_types == b->pmu_types;
    return a->pmu_types[place_a] == b->pmu_types[place_b];
}

/* The place of `from` for the same CPU or thread; SIZE_MAX: there is none to go on from. */
static size_t find_place(const struct counter_set *set, size_t place,
                         const struct counter_set *from, const struct cpu_list *cpus)
{
    if (scope_is_of_threads(&set->scope))
        return place;
    if (cpus && !cpu_list_contains(cpus, set->scope.cpus->cpus[place]))
        return SIZE_MAX;
    if (place < from->n_places && is_same_place(&set->scope, place, &from->scope, place))
        return place; /* mostly the CPUs are the same: this spares the search */
    for (size_t i = 0; i < from->n_places; i++)
        if (is_same_place(&set->scope, place, &from->scope, i))
            return i;
    return SIZE_MAX;
}

static void adopt_group(struct cell_of to, struct cell_of old, const struct cpu_list *cpus)
{
    for (to.place = 0; to.place < to.set->n_places; to.place++) {
        old.place = find_place(to.set, to.place, old.set, cpus);
        if (old.place != SIZE_MAX)
            adopt_cell(to, old);
    }
    counter_set_adopt_starvation(to.set, to.group, old.set, old.group);
}

/* The time that the target ran on a CPU goes on from that of the other set. */
static void adopt_times(struct counter_set *set, const struct counter_set *from,
                        const struct cpu_list *cpus)
{
    for (size_t place = 0; place < set->n_places; place++) {
        size_t old = find_place(set, place, from, cpus);

        if (old < from->n_places && set->ran_ns[place] < from->ran_ns[old])
            set->ran_ns[place] = from->ran_ns[old];
    }
}

void counter_set_adopt(struct counter_set *set, struct counter_set *from,
                       const struct cpu_list *cpus)
{
    const struct event_groups *groups = set->groups, *from_groups = from->groups;

    if (set->mechanism != from->mechanism || set->scope.kind != from->scope.kind ||
        set->n_parts != from->n_parts ||
        (set->scope.kind == SCOPE_PROCESS && !same_processes(&set->scope, &from->scope)))
        return;
    for (size_t i = 0; i < groups->n_groups; i++)
        for (size_t j = 0; j < from_groups->n_groups; j++)
            if (event_group_goes_on(&groups->groups[i], &from_groups->groups[j]))
                adopt_group((struct cell_of){.set = set, .group = i},
                            (struct cell_of){.set = from, .group = j}, cpus);
    adopt_times(set, from, cpus);
}

bool counter_set_counts_all(const struct counter_set *set, const struct event_groups *groups)
{
    size_t n_found = 0, n_wanted = 0;

    for (size_t i = 0; i < groups->n_groups; i++) {
        n_wanted += groups->groups[i].n_opened > 0;
        for (size_t j = 0; j < set->groups->n_groups; j++)
            n_found += event_group_goes_on(&groups->groups[i], &set->groups->groups[j]) &&
                       (counter_group_is_starved(set, j) || counter_group_n_closed(set, j) == 0);
    }
    return n_found == n_wanted;
}

void counter_set_continue_waiting(struct counter_set *set, const struct counter_set *from)
{
    set->retry_at_ns = from->retry_at_ns;
    set->failures = from->failures;
    for (size_t group = 0; group < set->groups->n_groups; group++)
        counter_set_adopt_starvation(set, group, from, group);
}
