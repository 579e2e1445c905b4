/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The program is told to which lanes an event is added before it gets the event, and loses the
 * event before its lanes can be given to another group. So it never adds to the wrong lanes. What a
 * group has counted before the program gets it (for the system) is charged to nobody.
 */
#include "count/bpf/charging.h"

#include <errno.h>

#include "count/bpf/mechanism.h"
#include "count/perf_group.h"

void bpf_charging_end(struct bpf_groups *groups, const struct bpf_group *group, size_t cpu)
{
    for (size_t i = 0; i < group->events.n_opened; i++)
        (void)switch_program_set_event(groups->program, cpu, group->first_event + i, -1, NULL);
}

/*
 * Finds n numbers in a row below `end` that no charged group has: lanes, or else numbers of events.
 * Returns the first of them; SIZE_MAX: there is no room.
 */
static size_t find_room(const struct bpf_groups *groups, bool lanes, size_t n, size_t end)
{
    size_t first = 0;

    for (size_t i = 0; i < BPF_GROUPS_MAX && first + n <= end; i++) {
        const struct bpf_group *group = &groups->groups[i];
        size_t begin = lanes ? group->first_lane : group->first_event;
        size_t taken = lanes ? BPF_GROUP_LANES(group->events.n_opened) : group->events.n_opened;

        if (group->n_charged > 0 && first < begin + taken && begin < first + n) {
            first = begin + taken;
            i = SIZE_MAX; /* begin anew: a group before this one may be in the way there */
        }
    }
    return first + n <= end ? first : SIZE_MAX;
}

/* Events that only the kernel counts while it switches, or that are times (program.h). */
static enum switch_event_kind kind_of(const struct event_code *code)
{
    if (code->type != PERF_TYPE_SOFTWARE)
        return SWITCH_EVENT_OTHER;
    switch (code->config) {
    case PERF_COUNT_SW_CONTEXT_SWITCHES:
        return code->exclude_kernel ? SWITCH_EVENT_OTHER : SWITCH_EVENT_SWITCHES;
    case PERF_COUNT_SW_CPU_CLOCK:
    case PERF_COUNT_SW_TASK_CLOCK:
        return SWITCH_EVENT_CLOCK;
    default:
        return SWITCH_EVENT_OTHER;
    }
}

/* Tells the program how many events it has to look at. */
static void update_n_events(struct bpf_groups *groups)
{
    size_t n_events = 0;

    for (size_t i = 0; i < BPF_GROUPS_MAX; i++) {
        const struct bpf_group *group = &groups->groups[i];

        if (group->n_charged > 0 && group->first_event + group->events.n_opened > n_events)
            n_events = group->first_event + group->events.n_opened;
    }
    switch_program_set_n_events(groups->program, n_events);
}

static void place_events(struct bpf_groups *groups, const struct bpf_group *group)
{
    const size_t n = group->events.n_opened;

    for (size_t i = 0; i < n; i++)
        switch_program_place_event(groups->program, group->first_event + i, group->first_lane + i,
                                   i == 0 ? group->first_lane + n : SWITCH_PROGRAM_NO_TIMES,
                                   kind_of(&group->codes[i].code));
    update_n_events(groups);
}

/*
 * The base of each event is what it has counted until now. The kernel lists the values of a group
 * in the order in which its events were opened.
 */
int bpf_charging_begin(struct bpf_groups *groups, const struct bpf_group *group, size_t cpu)
{
    const int *descriptors = group->places[cpu].descriptors;
    const size_t n = group->events.n_opened;
    struct group_reading reading;
    int r = perf_group_read(groups->ops, descriptors[0], n, &reading);

    for (size_t i = 0; i < n && r >= 0; i++) {
        const struct switch_program_reading base = {reading.values[i].value, reading.enabled,
                                                    reading.running};

        r = switch_program_set_event(groups->program, cpu, group->first_event + i, descriptors[i],
                                     &base);
    }
    if (r < 0)
        bpf_charging_end(groups, group, cpu);
    return r;
}

void bpf_charging_stop(struct bpf_groups *groups, const struct bpf_group *group)
{
    for (size_t cpu = 0; cpu < groups->n_cpus; cpu++)
        if (group->places[cpu].descriptors)
            bpf_charging_end(groups, group, cpu);
    update_n_events(groups);
}

int bpf_charging_start(struct bpf_groups *groups, struct bpf_group *group)
{
    const size_t n = group->events.n_opened;
    const size_t event = find_room(groups, false, n, SWITCH_PROGRAM_EVENTS);
    const size_t lane = find_room(groups, true, BPF_GROUP_LANES(n), groups->n_lanes);
    int r = 0;

    if (event == SIZE_MAX || lane == SIZE_MAX)
        return -ENOSPC;
    group->first_event = event;
    group->first_lane = lane;
    group->n_charged++; /* its lanes are taken from here on */
    place_events(groups, group);
    for (size_t cpu = 0; cpu < groups->n_cpus && r >= 0; cpu++)
        if (group->places[cpu].descriptors)
            r = bpf_charging_begin(groups, group, cpu);
    group->n_charged--;
    if (r < 0)
        bpf_charging_stop(groups, group);
    return r;
}
