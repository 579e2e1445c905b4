/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/task_counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void task_counters_done(struct task_counters *counters)
{
    counters->set = counter_set_free(counters->set);
    free(TAKE(counters->tasks));
}

struct task_counters *task_counters_current(const struct process_member *member)
{
    for (size_t i = 0; i < member->n_counters; i++)
        if (!member->counters[i].ended)
            return &member->counters[i];
    return NULL;
}

enum scope_inherit task_counters_inherit(const struct process_member *member,
                                         const struct process_opening *opening)
{
    if (member->target->children)
        return INHERIT_CHILDREN;
    return opening->mechanism->counts_processes || opening->can_inherit_threads ? INHERIT_THREADS
                                                                                : INHERIT_NOTHING;
}

int task_counters_make(const struct process_member *member, const struct process_opening *opening,
                       pid_t **tasks, size_t n, struct task_counters *ret_counters)
{
    const struct process_target *target = member->target;
    const struct scope scope = {
        .kind = SCOPE_PROCESS,
        .cgroup_fd = -1,
        .cpus = opening->mechanism->counts_processes ? opening->cpus : NULL,
        .tasks = *tasks,
        .n_tasks = n,
        .inherit = task_counters_inherit(member, opening),
        .hybrid = opening->hybrid,
        .process = scope_process_id(target->pid, target->start_ticks),
    };
    struct counter_set *set;
    int r = counter_set_new(opening->mechanism, opening->groups, &scope, &set);

    if (r < 0)
        return r;
    *ret_counters = (struct task_counters){.set = set, .tasks = TAKE(*tasks), .n_tasks = n};
    return 0;
}

int task_counters_append(struct process_member *member, const struct task_counters *counters)
{
    struct task_counters *all =
        reallocarray(member->counters, member->n_counters + 1, sizeof(*all));

    if (!all)
        return -ENOMEM;
    member->counters = all;
    all[member->n_counters++] = *counters;
    return 0;
}

int task_counters_add(struct process_member *member, const struct process_opening *opening,
                      pid_t **tasks, size_t n)
{
    struct task_counters counters = {0};
    int r = task_counters_make(member, opening, tasks, n, &counters);

    if (r >= 0)
        r = task_counters_append(member, &counters);
    if (r < 0)
        task_counters_done(&counters);
    return r;
}

void task_counters_retire(struct process_member *member)
{
    size_t n = 0;

    for (size_t i = 0; i < member->n_counters; i++) {
        struct task_counters *counters = &member->counters[i];

        counters->ended = true;
        if (counters->begun)
            member->counters[n++] = *counters;
        else
            task_counters_done(counters);
    }
    member->n_counters = n;
}

bool task_counters_are_of(const struct task_counters *counters, const pid_t *tasks, size_t n)
{
    return counters->n_tasks == n && memcmp(counters->tasks, tasks, n * sizeof(*tasks)) == 0;
}

/* Makes counters for the same tasks, with the groups of the new configuration. */
static int prepare_counters(struct process_member *member, const struct task_counters *from,
                            const struct process_opening *opening)
{
    AUTO_FREE pid_t *tasks = calloc(from->n_tasks + 1, sizeof(*tasks));
    struct task_counters *made;
    int r;

    if (!tasks)
        return -ENOMEM;
    memcpy(tasks, from->tasks, from->n_tasks * sizeof(*tasks));
    r = task_counters_add(member, opening, &tasks, from->n_tasks);
    if (r < 0)
        return r;
    made = &member->counters[member->n_counters - 1];
    made->begun = from->begun;
    made->whole = from->whole;
    made->unsure = from->unsure;
    return r;
}

/*
 * Counters of threads go over if they count all that is wanted; else threads that were started
 * since would be counted by some groups only, and all are opened afresh, with a new list of
 * threads.
 */
static bool can_be_adopted(const struct task_counters *from, const struct process_opening *opening)
{
    if (from->ended || counter_set_mechanism(from->set) != opening->mechanism)
        return false;
    return opening->mechanism->counts_processes ||
           counter_set_counts_all(from->set, opening->groups);
}

int process_member_prepare(struct process_member *member, const struct process_member *from,
                           const struct process_opening *opening)
{
    for (size_t i = 0; i < from->n_counters; i++)
        if (!can_be_adopted(&from->counters[i], opening))
            return 0;
    for (size_t i = 0; i < from->n_counters; i++) {
        int r = prepare_counters(member, &from->counters[i], opening);

        if (r < 0)
            return r;
    }
    return 0;
}

void process_member_adopt(struct process_member *member, struct process_member *from,
                          const struct cpu_list *cpus)
{
    for (size_t i = 0; i < member->n_counters && i < from->n_counters; i++)
        counter_set_adopt(member->counters[i].set, from->counters[i].set, cpus);
}
