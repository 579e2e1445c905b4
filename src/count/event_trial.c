/* SPDX-License-Identifier: Apache-2.0 */
#include "count/event_trial.h"

#include <unistd.h>

#include "base/clock.h"
#include "count/perf_group.h"
#include "sys/thread_cpus.h"

/*
 * The kernel takes turns between groups every 4 ms at the least, so that an event which others
 * leave some time gets its turn within a few of them.
 */
#define PATIENCE_NS (NS_PER_SECOND / 50)

/* The counter's own clock stands still if it is broken; then this one ends the trial. */
#define LONGEST_NS (NS_PER_SECOND / 2)

/* Lets the open event count until it has run. The thread stays busy, so that it counts for it. */
static enum absence run(const struct perf_ops *ops, int fd)
{
    const uint64_t begin_ns = clock_monotonic_ns();
    struct group_reading reading = {0};
    int r = perf_group_set_enabled(ops, fd, true);

    while (r >= 0) {
        r = perf_group_read(ops, fd, 1, &reading);
        if (r >= 0 && reading.running > 0)
            return ABSENCE_NONE;
        if (reading.enabled > PATIENCE_NS || clock_monotonic_ns() - begin_ns > LONGEST_NS)
            return ABSENCE_NEVER_SCHEDULED;
    }
    return ABSENCE_NOT_SUPPORTED;
}

static enum absence try_in(const struct perf_ops *ops, const struct event *event,
                           const struct scope *scope)
{
    int fd = perf_event_open_at(ops, event, &(struct perf_site){.scope = scope}, -1);
    enum absence absence;

    if (fd < 0)
        return perf_event_absence(fd, event, scope);
    absence = run(ops, fd);
    ops->close(ops->context, fd);
    return absence;
}

/* Whether the kernel has answered that it does not count this event for tasks. */
static bool is_not_for_tasks(enum absence absence)
{
    return absence == ABSENCE_NOT_SUPPORTED || absence == ABSENCE_NEVER_SCHEDULED;
}

static struct event_trial try_on_machine(const struct perf_ops *ops, const struct event *event,
                                         const struct cpu_list *cpus)
{
    const struct scope machine = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = cpus};

    if (cpus->n == 0)
        return (struct event_trial){ABSENCE_CPU_OFFLINE, SCOPE_SYSTEM};
    return (struct event_trial){try_in(ops, event, &machine), SCOPE_SYSTEM};
}

struct event_trial event_try(const struct perf_ops *ops, const struct event *event,
                             const struct cpu_list *cpus)
{
    const pid_t self = gettid();
    const struct scope thread = {
        .kind = SCOPE_PROCESS, .cgroup_fd = -1, .tasks = &self, .n_tasks = 1};
    struct event_trial trial = {event->absence, SCOPE_PROCESS};
    struct thread_cpus *before;

    if (event->absence != ABSENCE_NONE)
        return trial;
    if (event->is_uncore)
        return try_on_machine(ops, event, cpus);
    before = cpus->n > 0 ? thread_cpus_save() : NULL;
    if (before)
        (void)thread_move_to_cpu(cpus->cpus[0]); /* a hybrid CPU's PMU counts on its cores only */
    trial.absence = try_in(ops, event, &thread);
    if (is_not_for_tasks(trial.absence)) {
        const struct event_trial machine = try_on_machine(ops, event, cpus);

        trial = machine.absence == ABSENCE_NONE ? machine : trial;
    }
    (void)thread_cpus_restore(before);
    return trial;
}
