/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The direct mechanism: perf events are bound to each target, on every CPU or to every thread.
 *
 * Where many sets are to be opened, this is done CPU by CPU from a thread that sits on that CPU:
 * opening an event for another CPU costs an interrupt there (perf_install_in_context()). A group
 * that cannot be opened on one CPU is closed on all (counter_settle.h): half a cgroup would look
 * like an idle one.
 */
#include "base/clock.h"
#include "count/core_kinds.h"
#include "count/counter_cells.h"
#include "count/counter_settle.h"
#include "count/perf_group.h"
#include "sys/late_close.h"
#include "sys/thread_cpus.h"

struct direct {
    struct mechanism mechanism;
    const struct perf_ops *ops;
};

static struct direct *direct_of(struct mechanism *mechanism)
{
    return (struct direct *)mechanism;
}

/* A group in a place, as the kernel has it: the leaders of its parts, each with its members. */
struct parts {
    const struct event_group *group;
    int *descriptors;
    size_t n;
};

static struct parts parts_of(const struct counter_set *set, size_t place, size_t group)
{
    const struct event_group *events = &set->groups->groups[group];

    return (struct parts){.group = events,
                          .descriptors = counter_descriptors(set, place, group),
                          .n = event_group_parts(events, &set->scope)};
}

static int *part_descriptors(const struct parts *parts, size_t part)
{
    return parts->descriptors + part * parts->group->n_opened;
}

/*
 * Adds what the thread did on another kind of core. Each part was enabled for all the time that the
 * thread ran, and is running while it is on its own kind: so the sum of those is the time in which
 * the group counted.
 */
static void add_part(const struct event_group *group, const struct pmu *core,
                     const struct group_reading *part, struct group_reading *sum)
{
    sum->enabled = part->enabled > sum->enabled ? part->enabled : sum->enabled;
    sum->running += part->running;
    for (size_t i = 0; i < group->n_opened; i++)
        if (event_counts_on(&group->members[group->opened[i]].event->code, core))
            sum->values[i].value += part->values[i].value;
}

/* A thread that goes from one kind to another between the readings is in the next one. */
static int read_parts(const struct direct *direct, const struct counter_set *set, size_t place,
                      const struct parts *parts, struct group_reading *ret_reading)
{
    const size_t n = parts->group->n_opened;
    struct group_reading part, sum = {.n_values = n};

    for (size_t i = 0; i < parts->n; i++) {
        int r = perf_group_read(direct->ops, *part_descriptors(parts, i), n, &part);

        if (r < 0)
            return r;
        for (size_t v = 0; v < n && i == 0; v++)
            sum.values[v].id = part.values[v].id;
        add_part(parts->group, scope_core(&set->scope, place, i), &part, &sum);
    }
    *ret_reading = sum;
    return 0;
}

static int direct_read(struct mechanism *mechanism, const struct counter_set *set, size_t place,
                       size_t group, struct group_reading *ret_reading)
{
    const struct direct *direct = direct_of(mechanism);
    const struct parts parts = parts_of(set, place, group);

    if (parts.n > 1)
        return read_parts(direct, set, place, &parts, ret_reading);
    return perf_group_read(direct->ops, *parts.descriptors, parts.group->n_opened, ret_reading);
}

static void direct_close(struct mechanism *mechanism, struct counter_set *set, size_t place,
                         size_t group)
{
    struct direct *direct = direct_of(mechanism);
    const struct parts parts = parts_of(set, place, group);

    for (size_t i = 0; i < parts.n; i++)
        perf_group_close(direct->ops, part_descriptors(&parts, i), parts.group->n_opened);
    direct->mechanism.open_counters -= parts.n * parts.group->n_opened;
}

static int direct_set_enabled(struct mechanism *mechanism, const struct counter_set *set,
                              size_t place, size_t group, bool enabled)
{
    const struct parts parts = parts_of(set, place, group);
    int r = 0;

    for (size_t i = 0; i < parts.n && r >= 0; i++)
        r = perf_group_set_enabled(direct_of(mechanism)->ops, *part_descriptors(&parts, i),
                                   enabled);
    return r;
}

/* Opens all parts of a group in one place. 0; -errno: none is open. */
static int open_parts(const struct direct *direct, const struct counter_set *set, size_t place,
                      size_t group)
{
    const struct parts parts = parts_of(set, place, group);
    const bool enabled = !counter_group_is_paused(set, group) && !set->scope.starts_at_exec;

    for (size_t i = 0; i < parts.n; i++) {
        const struct perf_site site = {&set->scope, place, i};
        int r =
            perf_group_open(direct->ops, parts.group, &site, enabled, part_descriptors(&parts, i));

        if (r >= 0)
            continue;
        while (i-- > 0)
            perf_group_close(direct->ops, part_descriptors(&parts, i), parts.group->n_opened);
        return r;
    }
    return 0;
}

/* Opens a group in one place, if it is to be open; else notes in the set why it is not. */
static void open_cell(struct direct *direct, struct counter_set *set, size_t place, size_t group)
{
    const struct event_group *events = &set->groups->groups[group];
    struct counter_cell *cell = counter_cell(set, place, group);
    enum absence absence;
    int r;

    if (cell->handle >= 0 || cell->ended || events->n_opened == 0 ||
        set->absences[group] != ABSENCE_NONE || counter_group_is_starved(set, group))
        return;
    r = open_parts(direct, set, place, group);
    if (r == 0) {
        counter_cell_opened(set, place, group, *counter_descriptors(set, place, group));
        direct->mechanism.open_counters +=
            event_group_parts(events, &set->scope) * events->n_opened;
        return;
    }
    absence = perf_group_absence(r, &set->scope);
    if (absence == ABSENCE_TARGET_GONE && scope_is_of_threads(&set->scope)) {
        counter_cell_ended(set, place, group); /* it ended after it was listed */
        return;
    }
    cell->offline = absence == ABSENCE_CPU_OFFLINE;
    if (!cell->offline)
        set->absences[group] = absence;
}

static void open_place(struct direct *direct, struct counter_set *set, size_t place)
{
    for (size_t group = 0; group < set->groups->n_groups; group++)
        open_cell(direct, set, place, group);
}

/*
 * So few sets are opened from the CPU that we are on. To wait for a turn on each of many busy CPUs
 * would take longer than the interrupts, and a target that was born just now is not counted
 * meanwhile.
 */
#define FEW_SETS 4

/* How many descriptors it takes to open all of a set. */
static size_t missing_descriptors(const struct counter_set *set)
{
    size_t n = 0;

    for (size_t group = 0; group < set->groups->n_groups; group++)
        if (!counter_group_is_starved(set, group))
            n += counter_group_n_closed(set, group) * set->groups->groups[group].n_opened *
                 event_group_parts(&set->groups->groups[group], &set->scope);
    return n;
}

/*
 * While there are so many probes, no more are opened for cgroups and threads. Each is a handler of
 * its own, which the kernel calls at each hit in any process: 0.1 to 0.2 us (Linux 6.18). Strangers
 * choose how many cgroups and threads there are, and what is probed should not pay for that.
 */
#define MOST_PROBES 256

static size_t missing_probes(const struct counter_set *set)
{
    size_t n = 0;

    for (size_t group = 0; group < set->groups->n_groups; group++)
        n += counter_group_n_closed(set, group) *
             event_group_n_probes(&set->groups->groups[group]) *
             event_group_parts(&set->groups->groups[group], &set->scope);
    return n;
}

/* Whether the probes of a set may be opened beside the planned ones, to which they are then added.
 */
static bool probes_fit(const struct counter_set *set, size_t *planned)
{
    const size_t missing = missing_probes(set);
    const bool fit =
        missing == 0 || set->scope.kind == SCOPE_SYSTEM || *planned + missing <= MOST_PROBES;

    *planned += fit ? missing : 0;
    return fit;
}

/*
 * Forgets old failures, and refuses the sets for which there are no descriptors, each as a whole:
 * half-open sets would use up descriptors with which others could be counted.
 */
static void refuse_what_does_not_fit(const struct direct *direct, struct counter_set **sets,
                                     size_t n_sets)
{
    size_t planned = direct->mechanism.open_counters, planned_probes = late_close_n_probes();

    for (size_t i = 0; i < n_sets; i++) {
        size_t missing = missing_descriptors(sets[i]);
        bool fits = planned + missing <= direct->mechanism.descriptors;
        bool takes_probes = fits && probes_fit(sets[i], &planned_probes);

        planned += fits ? missing : 0;
        for (size_t group = 0; group < sets[i]->groups->n_groups; group++)
            if (!fits)
                sets[i]->absences[group] = ABSENCE_NO_DESCRIPTORS;
            else if (!takes_probes && event_group_n_probes(&sets[i]->groups->groups[group]) > 0)
                sets[i]->absences[group] = ABSENCE_OVER_LIMIT;
            else
                sets[i]->absences[group] = ABSENCE_NONE;
    }
}

static bool is_on_cpus(const struct counter_set *set)
{
    return !scope_is_of_threads(&set->scope);
}

static struct cpu_number highest_cpu(struct counter_set **sets, size_t n_sets)
{
    struct cpu_number highest = {-1};

    for (size_t i = 0; i < n_sets; i++) {
        const struct cpu_list *cpus = sets[i]->scope.cpus;

        if (is_on_cpus(sets[i]) && cpus->n > 0 && cpus->cpus[cpus->n - 1].value > highest.value)
            highest = cpus->cpus[cpus->n - 1];
    }
    return highest;
}

static bool any_on_cpu(struct counter_set **sets, size_t n_sets, struct cpu_number cpu)
{
    for (size_t i = 0; i < n_sets; i++)
        if (is_on_cpus(sets[i]) && cpu_list_contains(sets[i]->scope.cpus, cpu))
            return true;
    return false;
}

static void open_on_cpu(struct direct *direct, struct counter_set *set, struct cpu_number cpu)
{
    for (size_t place = 0; place < set->n_places; place++)
        if (set->scope.cpus->cpus[place].value == cpu.value)
            open_place(direct, set, place);
}

static void open_cpus(struct direct *direct, struct counter_set **sets, size_t n_sets)
{
    struct cpu_number highest = highest_cpu(sets, n_sets);
    struct thread_cpus *before =
        highest.value >= 0 && n_sets > FEW_SETS ? thread_cpus_save() : NULL;

    for (struct cpu_number cpu = {0}; cpu.value <= highest.value; cpu.value++) {
        if (!any_on_cpu(sets, n_sets, cpu))
            continue;
        if (before)
            (void)thread_move_to_cpu(cpu); /* if that is forbidden, opening is only slower */
        for (size_t i = 0; i < n_sets; i++)
            if (is_on_cpus(sets[i]))
                open_on_cpu(direct, sets[i], cpu);
    }
    (void)thread_cpus_restore(before);
}

static void open_threads(struct direct *direct, struct counter_set *set)
{
    for (size_t place = 0; place < set->n_places; place++)
        open_place(direct, set, place);
}

static int direct_open(struct mechanism *mechanism, struct counter_set **sets, size_t n_sets)
{
    struct direct *direct = direct_of(mechanism);
    uint64_t now_ns = clock_monotonic_ns();

    refuse_what_does_not_fit(direct, sets, n_sets);
    for (size_t i = 0; i < n_sets; i++)
        if (!is_on_cpus(sets[i]))
            open_threads(direct, sets[i]);
    open_cpus(direct, sets, n_sets);
    for (size_t i = 0; i < n_sets; i++)
        counter_set_settle(sets[i], now_ns);
    return 0;
}

static struct mechanism *direct_free(struct mechanism *mechanism)
{
    free(direct_of(mechanism));
    return NULL;
}

struct mechanism *mechanism_direct_new(const struct perf_ops *ops)
{
    struct direct *direct = malloc(sizeof(*direct));

    if (!direct)
        return NULL;
    *direct = (struct direct){
        .mechanism = {.name = "direct",
                      .open = direct_open,
                      .read = direct_read,
                      .close = direct_close,
                      .set_enabled = direct_set_enabled,
                      .free = direct_free},
        .ops = ops,
    };
    return &direct->mechanism;
}
