/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/process_group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cycle/process_member.h"
#include "cycle/process_times.h"

struct process_group *process_group_new(const char *name, int rule, bool single)
{
    struct process_group *group = calloc(1, sizeof(*group));

    if (!group)
        return NULL;
    group->name = strdup(name);
    group->rule = rule;
    group->single = single;
    return group->name ? group : process_group_free(group, NULL);
}

struct process_group *process_group_copy(const struct process_group *from, int rule)
{
    struct process_group *group = process_group_new(from->name, rule, from->single);

    if (!group)
        return NULL;
    group->pid = from->pid;
    group->start_ticks = from->start_ticks;
    return group;
}

struct process_group *process_group_free(struct process_group *group,
                                         struct process_targets *targets)
{
    while (group && group->members) {
        struct process_member *member = group->members;

        group->members = member->next;
        (void)process_member_free(member, targets);
    }
    if (group) {
        free(group->name);
        free(group->past.ran_ns);
    }
    free(group);
    return NULL;
}

int process_group_add(struct process_group *group, struct process_target *target)
{
    struct process_member *member = calloc(1, sizeof(*member));

    if (!member)
        return -ENOMEM;
    member->target = target;
    target->owner = member;
    member->next = group->members;
    group->members = member;
    group->pid = target->pid;
    group->start_ticks = target->start_ticks;
    return 0;
}

bool process_group_is_open(const struct process_group *group, size_t index)
{
    for (const struct process_member *member = group->members; member; member = member->next)
        for (size_t i = 0; i < member->n_counters; i++)
            if (counter_set_is_open(member->counters[i].set, index))
                return true;
    return false;
}

bool process_group_is_unread(const struct process_group *group)
{
    bool has_counters = false;

    for (const struct process_member *member = group->members; member; member = member->next)
        for (size_t i = 0; i < member->n_counters; i++) {
            if (!counter_set_is_unread(member->counters[i].set))
                return false;
            has_counters = true;
        }
    return has_counters;
}

bool process_group_is_incomplete(const struct process_group *group)
{
    for (const struct process_member *member = group->members; member; member = member->next)
        if (process_member_is_incomplete(member))
            return true;
    return false;
}

static bool was_last(const struct process_group *group, const struct process_target *target)
{
    return group->pid == target->pid && group->start_ticks == target->start_ticks;
}

static bool is_same_process(const struct process_target *a, const struct process_target *b)
{
    return a->pid == b->pid && a->start_ticks == b->start_ticks;
}

bool process_group_goes_on_with(const struct process_group *group,
                                const struct process_target *next)
{
    return !group->single || next->continues || was_last(group, next);
}

static bool has_had(const struct process_group *group, const struct process_target *target)
{
    if (was_last(group, target))
        return true;
    for (const struct process_member *member = group->members; member; member = member->next)
        if (is_same_process(member->target, target))
            return true;
    return false;
}

bool process_group_is_same(const struct process_group *group, const struct process_group *other)
{
    if (!group->single)
        return true;
    for (const struct process_member *member = other->members; member; member = member->next)
        if (has_had(group, member->target))
            return true;
    return false;
}

bool process_group_is_over(const struct process_group *group, const struct process_target *next)
{
    for (const struct process_member *member = group->members; member; member = member->next)
        if (!member->ended)
            return false;
    return !process_group_goes_on_with(group, next);
}

static void drop_ended(struct process_group *group, struct process_targets *targets)
{
    struct process_member **place = &group->members;

    while (*place) {
        struct process_member *member = *place;

        if (!member->ended) {
            place = &member->next;
            continue;
        }
        *place = member->next;
        process_times_keep(group, member);
        (void)process_member_free(member, targets);
    }
}

void process_group_read(struct process_group *group, struct process_targets *targets,
                        uint64_t now_ns, struct sample *part, struct sample *sum)
{
    bool all_known = true, any_goes_on = false;

    sample_clear(sum);
    for (struct process_member *member = group->members; member; member = member->next) {
        any_goes_on |= process_member_read(member, now_ns, part, sum);
        all_known &= member->ended || !process_member_is_incomplete(member);
    }
    /* A rate of a part of the group, or of members that have only begun, would be too low. */
    for (size_t i = 0; i < sum->n_groups; i++)
        sum->groups[i].unknown |= !all_known || !any_goes_on;
    drop_ended(group, targets);
}

void process_group_begin(struct process_group *group, uint64_t since_ns, uint64_t now_ns,
                         struct sample *part)
{
    for (struct process_member *member = group->members; member; member = member->next)
        process_member_begin(member, since_ns, now_ns, part);
}

void process_group_follow_pause(struct process_group *group)
{
    for (struct process_member *member = group->members; member; member = member->next)
        for (size_t i = 0; i < member->n_counters; i++)
            counter_set_follow_pause(member->counters[i].set);
}

uint64_t process_group_count(const struct process_group *group, uint64_t *ret_start_realtime_ns)
{
    uint64_t n = 0, start_ns = 0;

    for (const struct process_member *member = group->members; member; member = member->next) {
        const struct process_target *target = member->target;

        n += target->n_members;
        if (start_ns == 0 || target->start_realtime_ns < start_ns)
            start_ns = target->start_realtime_ns;
    }
    *ret_start_realtime_ns = start_ns;
    return n;
}

/* NULL: no member is that process, or it has ended and another may have its number. */
static struct process_member *find_member(const struct process_group *group,
                                          const struct process_target *target)
{
    for (struct process_member *member = group->members; member; member = member->next)
        if (is_same_process(member->target, target) &&
            member->target->children == target->children && process_target_lives(member->target))
            return member;
    return NULL;
}

int process_group_prepare(struct process_group *group, const struct process_group *from,
                          const struct process_opening *opening)
{
    for (struct process_member *member = group->members; member; member = member->next) {
        const struct process_member *old = find_member(from, member->target);
        int r = old ? process_member_prepare(member, old, opening) : 0;

        if (r < 0)
            return r;
    }
    return 0;
}

void process_group_adopt(struct process_group *group, struct process_group *from,
                         const struct cpu_list *cpus)
{
    for (struct process_member *member = group->members; member; member = member->next) {
        struct process_member *old = find_member(from, member->target);

        if (old)
            process_member_adopt(member, old, cpus);
    }
}

void process_group_adopt_latencies(struct process_group *group, struct process_group *from,
                                   const struct mechanism *latency)
{
    for (struct process_member *member = group->members; member; member = member->next) {
        struct process_member *old = find_member(from, member->target);

        if (old && !member->latencies)
            member->latencies = latency_meter_adopt(&old->latencies, latency);
    }
}

void process_group_hand_over_latencies(struct process_group *group, struct process_group *from)
{
    for (struct process_member *member = group->members; member; member = member->next) {
        struct process_member *old = find_member(from, member->target);

        if (old)
            latency_meter_hand_over(&old->latencies, member->latencies);
    }
}
