/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/member_latencies.h"

#include <errno.h>

#include "cycle/latencies.h"
#include "cycle/task_counters.h"

/* What a process starts while it is named is followed from then on: a second list has the rest. */
#define MOST_TRIES 5

bool member_latencies_are_wanted(const struct process_member *member,
                                 const struct process_opening *opening)
{
    return opening->latency && opening->latency->counts_processes && !member->latencies &&
           member->n_counters > 0 && opening->now_ns >= member->latencies_retry_ns;
}

/* Makes the meter, or names the processes to it. 0 or -errno. */
static int name_processes(struct process_member *member, const struct process_opening *opening,
                          const struct scope *scope)
{
    if (member->latencies)
        return latency_meter_name_tasks(member->latencies, scope);
    return latency_meter_new(opening->latency, scope, &member->latencies);
}

/* Lists and names once. 1: they were the same as the last time; 0 or -errno. */
static int name_once(struct process_member *member, const struct process_opening *opening,
                     size_t *n_before)
{
    const struct process_target *target = member->target;
    AUTO_FREE pid_t *processes = NULL;
    size_t n;
    int r = process_targets_processes(opening->targets, target, &processes, &n);

    if (r < 0)
        return r;
    if (n == *n_before)
        return 1;
    *n_before = n;
    return name_processes(member, opening,
                          &(struct scope){
                              .kind = SCOPE_PROCESS,
                              .cgroup_fd = -1,
                              .cpus = opening->cpus,
                              .tasks = processes,
                              .n_tasks = n,
                              .inherit = target->children ? INHERIT_CHILDREN : INHERIT_THREADS,
                              .process = scope_process_id(target->pid, target->start_ticks),
                          });
}

/*
 * A refusal costs the latencies of this process, and nothing else: it has ended meanwhile, or there
 * is no room.
 */
int member_latencies_open(struct process_member *member, const struct process_opening *opening)
{
    size_t n_before = 0;
    int r = 0;

    if (!member_latencies_are_wanted(member, opening))
        return 0;
    member->latencies_retry_ns = opening->now_ns + LATENCIES_RETRY_NS;
    for (int tries = 0; tries < MOST_TRIES && r == 0; tries++)
        r = name_once(member, opening, &n_before);
    return r == -ENOMEM ? r : 0;
}
