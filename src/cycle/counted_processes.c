/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/counted_processes.h"

#include "base/share.h"
#include "config/config_processes.h"
#include "cycle/collector_parts.h"

/* The list of CPUs and two of epoll are open beside a ring and a bell for each CPU. */
#define WATCH_DESCRIPTORS 3

static uint64_t count_unfollowed(const struct collector *collector)
{
    return setup_mechanism(&collector->setup, SCOPE_PROCESS)->unfollowed;
}

int collector_make_processes(struct collector *collector)
{
    const struct config *config = collector->setup.config;
    struct counted_processes *processes = &collector->processes;
    const size_t limit = (size_t)config->limits.processes;
    const struct process_limits limits = {.processes = limit, .per_user = share_of_one(limit)};
    struct process_rule_error wrong; /* the configuration was parsed: there is nothing */
    size_t index;
    int r;

    if (config->n_processes == 0)
        return 0;
    processes->unfollowed = count_unfollowed(collector);
    r = config_processes_make(config, &processes->rules, &index, &wrong);
    if (r < 0)
        return r;
    return process_targets_new(collector->setup.procfs_fd, processes->rules, &limits,
                               &processes->targets);
}

void counted_processes_done(struct counted_processes *processes)
{
    (void)process_targets_free(processes->targets);
    (void)process_rules_free(processes->rules);
    *processes = (struct counted_processes){0};
}

size_t collector_process_descriptors(const struct collector *collector)
{
    const struct config *config = collector->setup.config;
    const size_t half = collector->setup.descriptors / 2;
    const size_t threads = mechanism_is_shared(collector->setup.bpf, SCOPE_PROCESS)
                               ? 0
                               : (size_t)config->limits.threads;
    const size_t needed = threads * resolution_most_opened(collector->resolution, SCOPE_PROCESS) +
                          (size_t)config->limits.processes;

    if (config->n_processes == 0)
        return 0;
    return needed < half ? needed : half;
}

size_t collector_watch_descriptors(const struct collector *collector)
{
    const struct process_targets *targets = collector->processes.targets;

    if (!targets)
        return 0;
    return process_targets_census(targets)->standing + 2 * collector->cpus.online->n +
           WATCH_DESCRIPTORS;
}

bool collector_follows_threads(const struct collector *collector)
{
    return !collector->processes.can_inherit_threads &&
           !mechanism_is_shared(collector->setup.bpf, SCOPE_PROCESS);
}

void collector_note_unfollowed(struct collector *collector)
{
    const uint64_t now = count_unfollowed(collector);

    collector->status.dropped[SCOPE_PROCESS][ABSENCE_OVER_LIMIT] +=
        now - collector->processes.unfollowed;
    collector->processes.unfollowed = now;
}
