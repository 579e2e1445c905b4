/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A group is opened disabled, then given to the program, and then enabled: so the program sees all
 * that it counts. A group that counts already, for the system alone, is given together with what it
 * has counted until then. A group may outlive the configuration that wanted it; therefore it has
 * copies of its events, by which it can be opened on CPUs that come later.
 *
 * When a CPU goes offline, what is open on it stands still for ever. It is read a last time,
 * perhaps when the CPU is back and the group is open there anew. So each user names the birth of
 * the CPU that it means.
 */
#include "count/bpf/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/bpf/charging.h"
#include "count/perf_group.h"

/* A place that ended when its CPU went offline; its users may read it a last time. */
struct departed_place {
    LIST_ENTRY(departed_place) entry;
    struct bpf_user user;
    struct bpf_place place;
};

struct bpf_groups *bpf_groups_new(struct switch_program *program, const struct perf_ops *ops,
                                  const struct switch_program_size *size)
{
    AUTO(bpf_groups) struct bpf_groups *groups = calloc(1, sizeof(*groups));

    if (!groups)
        return NULL;
    groups->program = program;
    groups->ops = ops;
    groups->n_cpus = size->n_cpus;
    groups->n_lanes = size->n_lanes;
    groups->births = calloc(size->n_cpus, sizeof(*groups->births));
    return groups->births ? TAKE(groups) : NULL;
}

static void close_place(struct bpf_groups *groups, const struct bpf_group *group,
                        struct bpf_place *place)
{
    const size_t n = group->events.n_opened;

    if (!place->descriptors)
        return;
    perf_group_close(groups->ops, place->descriptors, n);
    groups->open_counters -= n;
    free(TAKE(place->descriptors));
}

/* Closes a group everywhere and frees its entry. */
static void end_group(struct bpf_groups *groups, struct bpf_group *group)
{
    for (size_t cpu = 0; group->places && cpu < groups->n_cpus; cpu++)
        close_place(groups, group, &group->places[cpu]);
    free(group->places);
    for (size_t i = 0; group->codes && i < group->events.n_members; i++)
        event_code_done(&group->codes[i].code);
    free(group->codes);
    free(group->events.members);
    free(group->events.opened);
    *group = (struct bpf_group){0};
}

static void end_departed(struct bpf_groups *groups, struct departed_place *departed)
{
    close_place(groups, &groups->groups[departed->user.group], &departed->place);
    LIST_REMOVE(departed, entry);
    free(departed);
}

struct bpf_groups *bpf_groups_free(struct bpf_groups *groups)
{
    struct departed_place *departed;

    if (!groups)
        return NULL;
    while ((departed = LIST_FIRST(&groups->departed)))
        end_departed(groups, departed);
    for (size_t i = 0; i < BPF_GROUPS_MAX; i++)
        end_group(groups, &groups->groups[i]);
    free(groups->births);
    free(groups);
    return NULL;
}

/* Copies the events that are to be opened. Only their codes are copied: opening takes no more. */
static int copy_events(struct bpf_group *group, const struct event_group *wanted)
{
    const size_t n = wanted->n_opened;

    group->events.members = calloc(n, sizeof(*group->events.members));
    group->events.opened = calloc(n, sizeof(*group->events.opened));
    group->codes = calloc(n, sizeof(*group->codes));
    if (!group->events.members || !group->events.opened || !group->codes)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        group->codes[i].code = event_code_copy(&wanted->members[wanted->opened[i]].event->code);
        group->events.members[i].event = &group->codes[i];
        group->events.opened[i] = (uint8_t)i;
    }
    group->events.n_members = group->events.n_opened = n;
    return 0;
}

/* The group that counts these events, or an entry for it that nobody uses. NULL: none. */
static struct bpf_group *find(struct bpf_groups *groups, const struct event_group *wanted)
{
    struct bpf_group *unused = NULL;

    for (size_t i = 0; i < BPF_GROUPS_MAX; i++) {
        if (event_group_is_same(&groups->groups[i].events, wanted))
            return &groups->groups[i];
        if (groups->groups[i].n_users == 0)
            unused = &groups->groups[i];
    }
    return unused;
}

static int make_group(struct bpf_groups *groups, struct bpf_group *group,
                      const struct event_group *wanted)
{
    int r;

    end_group(groups, group);
    group->places = calloc(groups->n_cpus, sizeof(*group->places));
    r = group->places ? copy_events(group, wanted) : -ENOMEM;
    if (r < 0)
        end_group(groups, group);
    return r;
}

int bpf_groups_enter(struct bpf_groups *groups, const struct event_group *wanted, bool charged,
                     size_t *ret_group)
{
    struct bpf_group *group = find(groups, wanted);
    int r = 0;

    if (!group)
        return -ENOSPC;
    if (!event_group_is_same(&group->events, wanted))
        r = make_group(groups, group, wanted);
    if (r >= 0 && charged && group->n_charged == 0)
        r = bpf_charging_start(groups, group);
    if (r < 0)
        return r;
    group->n_users++;
    group->n_charged += charged;
    *ret_group = (size_t)(group - groups->groups);
    return 0;
}

bool bpf_groups_leave(struct bpf_groups *groups, size_t index, bool charged)
{
    struct bpf_group *group = &groups->groups[index];

    group->n_users--;
    group->n_charged -= charged;
    if (!charged || group->n_charged > 0)
        return false;
    bpf_charging_stop(groups, group);
    return true;
}

static bool is_open_somewhere(const struct bpf_groups *groups, const struct bpf_group *group)
{
    for (size_t cpu = 0; cpu < groups->n_cpus; cpu++)
        if (group->places[cpu].descriptors)
            return true;
    return false;
}

static bool has_tracepoint(const struct bpf_group *group)
{
    for (size_t i = 0; i < group->events.n_opened; i++)
        if (group->codes[i].code.type == PERF_TYPE_TRACEPOINT)
            return true;
    return false;
}

/*
 * The descriptors of a group on a CPU are open. The first events of a tracepoint attach perf to it,
 * mostly behind our program: then that has to stand behind perf again.
 */
static int follow_tracepoints(struct bpf_groups *groups, const struct bpf_group *group)
{
    return has_tracepoint(group) && !is_open_somewhere(groups, group)
               ? switch_program_attach_last(groups->program)
               : 0;
}

static int open_place(struct bpf_groups *groups, const struct bpf_group *group,
                      struct cpu_number cpu, bool enabled, const struct pmu_list *hybrid)
{
    struct bpf_place *place = &group->places[cpu.value];
    const size_t n = group->events.n_opened;
    AUTO(cpu_list) struct cpu_list *cpus = malloc(sizeof(*cpus) + sizeof(cpu));
    const struct scope scope = {
        .kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = cpus, .hybrid = hybrid};
    const struct perf_site site = {.scope = &scope};
    AUTO_FREE int *descriptors = calloc(n, sizeof(*descriptors));
    int r;

    if (!cpus || !descriptors)
        return -ENOMEM;
    cpus->n = 1;
    cpus->cpus[0] = cpu;
    r = perf_group_open(groups->ops, &group->events, &site, false, descriptors);
    if (r >= 0) {
        r = follow_tracepoints(groups, group);
        if (r < 0)
            perf_group_close(groups->ops, descriptors, n);
    }
    if (r < 0)
        return r;
    if (!bpf_groups_are_open(groups, (size_t)cpu.value)) /* until now it was not refreshed */
        switch_program_begin_cpu(groups->program, (size_t)cpu.value);
    *place = (struct bpf_place){.descriptors = TAKE(descriptors), .enabled = enabled};
    groups->open_counters += n;
    if (group->n_charged > 0)
        r = bpf_charging_begin(groups, group, (size_t)cpu.value);
    if (r >= 0 && enabled)
        r = perf_group_set_enabled(groups->ops, place->descriptors[0], true);
    if (r < 0 && group->n_charged > 0)
        bpf_charging_end(groups, group, (size_t)cpu.value);
    if (r < 0)
        close_place(groups, group, place);
    return r < 0 ? r : 0;
}

int bpf_groups_open(struct bpf_groups *groups, struct bpf_user *user, bool enabled,
                    const struct pmu_list *hybrid, size_t n_descriptors)
{
    struct bpf_group *group = &groups->groups[user->group];
    const int cpu = user->cpu.value;
    int r = 0;

    if (cpu < 0 || (size_t)cpu >= groups->n_cpus)
        return -ENODEV;
    if (!group->places[cpu].descriptors)
        r = group->events.n_opened > n_descriptors
                ? -EMFILE
                : open_place(groups, group, user->cpu, enabled, hybrid);
    if (r < 0)
        return r;
    user->birth = groups->births[cpu];
    group->places[cpu].n_users++;
    group->n_users++;
    group->n_charged += user->charged;
    return 0;
}

static struct departed_place *find_departed(const struct bpf_groups *groups,
                                            const struct bpf_user *user)
{
    for (struct departed_place *departed = LIST_FIRST(&groups->departed); departed;
         departed = LIST_NEXT(departed, entry))
        if (departed->user.group == user->group && departed->user.cpu.value == user->cpu.value &&
            departed->user.birth == user->birth)
            return departed;
    return NULL;
}

/* The place that the user reads. NULL: it has ended, since its CPU went offline. */
static struct bpf_place *current_place(const struct bpf_groups *groups, const struct bpf_user *user)
{
    if (user->birth != groups->births[user->cpu.value])
        return NULL;
    return &groups->groups[user->group].places[user->cpu.value];
}

bool bpf_groups_close(struct bpf_groups *groups, const struct bpf_user *user)
{
    struct bpf_group *group = &groups->groups[user->group];
    struct bpf_place *place = current_place(groups, user);
    struct departed_place *departed = place ? NULL : find_departed(groups, user);

    if (departed && --departed->place.n_users == 0)
        end_departed(groups, departed);
    if (place && --place->n_users == 0) {
        if (group->n_charged > 0)
            bpf_charging_end(groups, group, (size_t)user->cpu.value);
        close_place(groups, group, place);
    }
    return bpf_groups_leave(groups, user->group, user->charged);
}

int bpf_groups_leader(const struct bpf_groups *groups, const struct bpf_user *user)
{
    const struct bpf_place *place = current_place(groups, user);
    const struct departed_place *departed = place ? NULL : find_departed(groups, user);

    if (departed)
        place = &departed->place;
    return place && place->descriptors ? place->descriptors[0] : -1;
}

int bpf_groups_set_enabled(struct bpf_groups *groups, const struct bpf_user *user, bool enabled)
{
    struct bpf_place *place = current_place(groups, user);
    int r = 0;

    if (!place)
        return 0;
    if (place->enabled != enabled)
        r = perf_group_set_enabled(groups->ops, place->descriptors[0], enabled);
    if (r >= 0)
        place->enabled = enabled;
    return r;
}

/*
 * Ends a place whose CPU went offline. Where there is no memory to keep it for a last reading, it
 * is closed at once; its users then lose what it counted since the last cycle.
 */
static void depart(struct bpf_groups *groups, size_t index, size_t cpu)
{
    const struct bpf_group *group = &groups->groups[index];
    struct departed_place *departed = malloc(sizeof(*departed));

    if (group->n_charged > 0)
        bpf_charging_end(groups, group, cpu);
    if (departed) {
        *departed = (struct departed_place){
            .user = {.group = index, .cpu = {(int)cpu}, .birth = groups->births[cpu]},
            .place = group->places[cpu]};
        LIST_INSERT_HEAD(&groups->departed, departed, entry);
    } else {
        close_place(groups, group, &group->places[cpu]);
    }
    group->places[cpu] = (struct bpf_place){0};
}

void bpf_groups_keep_cpus(struct bpf_groups *groups, const struct cpu_list *cpus)
{
    for (size_t cpu = 0; cpu < groups->n_cpus; cpu++) {
        if (cpu_list_contains(cpus, (struct cpu_number){(int)cpu}))
            continue;
        for (size_t i = 0; i < BPF_GROUPS_MAX; i++)
            if (groups->groups[i].places && groups->groups[i].places[cpu].descriptors)
                depart(groups, i, cpu);
        groups->births[cpu] = (groups->births[cpu] + 1) % BPF_BIRTHS;
    }
}

bool bpf_groups_are_open(const struct bpf_groups *groups, size_t cpu)
{
    for (size_t i = BPF_GROUPS_MAX; i-- > 0;) /* find() takes the last entries first */
        if (groups->groups[i].places && groups->groups[i].places[cpu].descriptors)
            return true;
    return false;
}

size_t bpf_groups_open_counters(const struct bpf_groups *groups)
{
    return groups->open_counters;
}

size_t bpf_groups_first_lane(const struct bpf_groups *groups, size_t group)
{
    return groups->groups[group].first_lane;
}

size_t bpf_groups_n_events(const struct bpf_groups *groups, size_t group)
{
    return groups->groups[group].events.n_opened;
}
