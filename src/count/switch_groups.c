/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A group is opened disabled, given to the program, and enabled: so the first thing that the
 * program sees of it is all that it has counted. It outlives the configuration that wanted
 * it, and so has events of its own to be opened again by, when a CPU comes back.
 */
#include "count/switch_groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/perf_group.h"

/* One group on one CPU. */
struct switch_place {
    int *descriptors; /* NULL: not open */
    bool enabled;
    bool lost; /* it was open when the CPU went */
};

struct switch_group {
    struct event_group events; /* its members are ours; n_opened 0: the entry is free */
    struct event *codes;       /* of the members; nothing of them but what opening takes */
    size_t first_event, first_lane;
    size_t n_users;
    struct switch_place *places; /* [CPU number] */
};

struct switch_groups {
    struct switch_program *program;
    const struct perf_ops *ops;
    size_t n_cpus, n_lanes, open_counters;
    struct switch_group groups[SWITCH_GROUPS_MAX];
};

struct switch_groups *switch_groups_new(struct switch_program *program, const struct perf_ops *ops,
                                        const struct switch_program_size *size)
{
    struct switch_groups *groups = calloc(1, sizeof(*groups));

    if (!groups)
        return NULL;
    groups->program = program;
    groups->ops = ops;
    groups->n_cpus = size->n_cpus;
    groups->n_lanes = size->n_lanes;
    return groups;
}

static void close_place(struct switch_groups *groups, struct switch_group *group, size_t cpu)
{
    struct switch_place *place = &group->places[cpu];
    const size_t n = group->events.n_opened;

    if (!place->descriptors)
        return;
    for (size_t i = 0; i < n; i++)
        (void)switch_program_set_event(groups->program, cpu, group->first_event + i, -1);
    perf_group_close(groups->ops, place->descriptors, n);
    groups->open_counters -= n;
    free(TAKE(place->descriptors));
}

static void end_group(struct switch_groups *groups, struct switch_group *group)
{
    for (size_t cpu = 0; group->places && cpu < groups->n_cpus; cpu++)
        close_place(groups, group, cpu);
    free(group->places);
    free(group->codes);
    free(group->events.members);
    free(group->events.opened);
    *group = (struct switch_group){0};
}

struct switch_groups *switch_groups_free(struct switch_groups *groups)
{
    for (size_t i = 0; groups && i < SWITCH_GROUPS_MAX; i++)
        end_group(groups, &groups->groups[i]);
    free(groups);
    return NULL;
}

static bool is_same(const struct switch_group *group, const struct event_group *wanted)
{
    bool same = group->events.n_opened == wanted->n_opened;

    for (size_t i = 0; same && i < wanted->n_opened; i++)
        same = event_code_equal(&group->codes[i].code,
                                &wanted->members[wanted->opened[i]].event->code);
    return same;
}

/* The first of n places in a row, of so many, that no group takes. SIZE_MAX: there are none. */
static size_t find_room(const struct switch_groups *groups, bool lanes, size_t n, size_t end)
{
    size_t first = 0;

    for (size_t i = 0; i < SWITCH_GROUPS_MAX && first + n <= end; i++) {
        const struct switch_group *group = &groups->groups[i];
        size_t begin = lanes ? group->first_lane : group->first_event;
        size_t taken = lanes ? SWITCH_GROUP_LANES(group->events.n_opened) : group->events.n_opened;

        if (group->events.n_opened > 0 && first < begin + taken && begin < first + n) {
            first = begin + taken;
            i = SIZE_MAX; /* others may be in the way there */
        }
    }
    return first + n <= end ? first : SIZE_MAX;
}

static int copy_events(struct switch_group *group, const struct event_group *wanted)
{
    const size_t n = wanted->n_opened;

    group->events.members = calloc(n, sizeof(*group->events.members));
    group->events.opened = calloc(n, sizeof(*group->events.opened));
    group->codes = calloc(n, sizeof(*group->codes));
    if (!group->events.members || !group->events.opened || !group->codes)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        group->codes[i].code = wanted->members[wanted->opened[i]].event->code;
        group->events.members[i].event = &group->codes[i];
        group->events.opened[i] = (uint8_t)i;
    }
    group->events.n_members = group->events.n_opened = n;
    return 0;
}

static bool counts_switches(const struct event_code *code)
{
    return code->type == PERF_TYPE_SOFTWARE && code->config == PERF_COUNT_SW_CONTEXT_SWITCHES &&
           !code->exclude_kernel;
}

static void place_events(struct switch_groups *groups, const struct switch_group *group)
{
    const size_t n = group->events.n_opened;
    size_t n_events = 0;

    for (size_t i = 0; i < n; i++)
        switch_program_place_event(groups->program, group->first_event + i, group->first_lane + i,
                                   i == 0 ? group->first_lane + n : SWITCH_PROGRAM_NO_TIMES,
                                   counts_switches(&group->codes[i].code));
    for (size_t i = 0; i < SWITCH_GROUPS_MAX; i++) {
        const struct switch_group *other = &groups->groups[i];

        if (other->first_event + other->events.n_opened > n_events)
            n_events = other->first_event + other->events.n_opened;
    }
    switch_program_set_n_events(groups->program, n_events);
}

static int add_group(struct switch_groups *groups, struct switch_group *group,
                     const struct event_group *wanted)
{
    const size_t n = wanted->n_opened;
    const size_t event = find_room(groups, false, n, SWITCH_PROGRAM_EVENTS);
    const size_t lane = find_room(groups, true, SWITCH_GROUP_LANES(n), groups->n_lanes);
    int r;

    if (event == SIZE_MAX || lane == SIZE_MAX)
        return -ENOSPC;
    group->places = calloc(groups->n_cpus, sizeof(*group->places));
    r = group->places ? copy_events(group, wanted) : -ENOMEM;
    if (r < 0) {
        end_group(groups, group);
        return r;
    }
    group->first_event = event;
    group->first_lane = lane;
    place_events(groups, group);
    return 0;
}

static size_t find_unused(const struct switch_groups *groups)
{
    size_t i = 0;

    while (i < SWITCH_GROUPS_MAX && groups->groups[i].events.n_opened > 0)
        i++;
    return i;
}

/* What was closed keeps its place for the next time, unless that is needed. */
static void end_unused(struct switch_groups *groups)
{
    for (size_t i = 0; i < SWITCH_GROUPS_MAX; i++)
        if (groups->groups[i].n_users == 0)
            end_group(groups, &groups->groups[i]);
}

int switch_groups_find(struct switch_groups *groups, const struct event_group *wanted,
                       size_t *ret_group)
{
    size_t unused;
    int r;

    for (size_t i = 0; i < SWITCH_GROUPS_MAX; i++)
        if (is_same(&groups->groups[i], wanted)) {
            *ret_group = i;
            return 0;
        }
    unused = find_unused(groups);
    r = unused < SWITCH_GROUPS_MAX ? add_group(groups, &groups->groups[unused], wanted) : -ENOSPC;
    if (r == -ENOSPC) {
        end_unused(groups);
        unused = find_unused(groups);
        if (unused < SWITCH_GROUPS_MAX)
            r = add_group(groups, &groups->groups[unused], wanted);
    }
    if (r == 0)
        *ret_group = unused;
    return r;
}

static int open_place(struct switch_groups *groups, struct switch_group *group,
                      struct cpu_number cpu, bool enabled)
{
    struct switch_place *place = &group->places[cpu.value];
    const size_t n = group->events.n_opened;
    AUTO(cpu_list) struct cpu_list *cpus = malloc(sizeof(*cpus) + sizeof(cpu));
    const struct scope scope = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = cpus};
    AUTO_FREE int *descriptors = calloc(n, sizeof(*descriptors));
    int r;

    if (!cpus || !descriptors)
        return -ENOMEM;
    cpus->n = 1;
    cpus->cpus[0] = cpu;
    r = perf_group_open(groups->ops, &group->events, &scope, 0, false, descriptors);
    if (r < 0)
        return r;
    for (size_t i = 0; i < n && r >= 0; i++)
        r = switch_program_set_event(groups->program, (size_t)cpu.value, group->first_event + i,
                                     descriptors[i]);
    if (r >= 0 && enabled)
        r = perf_group_set_enabled(groups->ops, descriptors[0], true);
    *place = (struct switch_place){.descriptors = TAKE(descriptors), .enabled = enabled};
    groups->open_counters += n;
    if (r < 0)
        close_place(groups, group, (size_t)cpu.value);
    return r < 0 ? r : 0;
}

int switch_groups_open(struct switch_groups *groups, size_t group, struct cpu_number cpu,
                       bool enabled, size_t n_descriptors)
{
    struct switch_group *opened = &groups->groups[group];

    if (cpu.value < 0 || (size_t)cpu.value >= groups->n_cpus)
        return -ENODEV;
    if (opened->places[cpu.value].descriptors)
        return 0;
    if (opened->events.n_opened > n_descriptors)
        return -EMFILE;
    return open_place(groups, opened, cpu, enabled);
}

void switch_groups_use(struct switch_groups *groups, size_t group)
{
    groups->groups[group].n_users++;
}

bool switch_groups_leave(struct switch_groups *groups, size_t group)
{
    struct switch_group *left = &groups->groups[group];

    if (--left->n_users > 0)
        return false;
    for (size_t cpu = 0; cpu < groups->n_cpus; cpu++) {
        close_place(groups, left, cpu);
        left->places[cpu].lost = false;
    }
    return true;
}

int switch_groups_set_enabled(struct switch_groups *groups, size_t group, struct cpu_number cpu,
                              bool enabled)
{
    struct switch_place *place = &groups->groups[group].places[cpu.value];
    int r = 0;

    if (place->descriptors && place->enabled != enabled)
        r = perf_group_set_enabled(groups->ops, place->descriptors[0], enabled);
    if (r >= 0)
        place->enabled = enabled;
    return r;
}

void switch_groups_lose_cpu(struct switch_groups *groups, struct cpu_number cpu)
{
    for (size_t i = 0; i < SWITCH_GROUPS_MAX; i++) {
        struct switch_group *group = &groups->groups[i];

        if (!group->places || !group->places[cpu.value].descriptors)
            continue;
        close_place(groups, group, (size_t)cpu.value);
        group->places[cpu.value].lost = true;
    }
}

int switch_groups_regain_cpu(struct switch_groups *groups, struct cpu_number cpu)
{
    int result = 0;

    for (size_t i = 0; i < SWITCH_GROUPS_MAX; i++) {
        struct switch_group *group = &groups->groups[i];
        struct switch_place *place = group->places ? &group->places[cpu.value] : NULL;
        int r = place && place->lost ? open_place(groups, group, cpu, place->enabled) : 0;

        result = r < 0 ? r : result;
    }
    return result;
}

size_t switch_groups_open_counters(const struct switch_groups *groups)
{
    return groups->open_counters;
}

size_t switch_groups_first_lane(const struct switch_groups *groups, size_t group)
{
    return groups->groups[group].first_lane;
}

size_t switch_groups_n_events(const struct switch_groups *groups, size_t group)
{
    return groups->groups[group].events.n_opened;
}
