/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/counted_processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
    process_rules_set_names(processes->rules, collector->setup.names);
    if (collector->setup.names)
        processes->renewals = target_names_renewals(collector->setup.names);
    return process_targets_new(collector->setup.procfs_fd, processes->rules, &limits,
                               &processes->targets);
}

bool collector_processes_are_renamed(const struct collector *collector)
{
    const struct counted_processes *processes = &collector->processes;

    return processes->rules && collector->setup.names &&
           target_names_renewals(collector->setup.names) != processes->renewals &&
           process_rules_use_names(processes->rules);
}

void counted_processes_done(struct counted_processes *processes)
{
    (void)process_targets_free(processes->targets);
    (void)process_rules_free(processes->rules);
    *processes = (struct counted_processes){0};
}

/* Appends what a target has now; what has ended has nothing. 0 or -errno. */
static int append_processes(struct collector *collector, const struct process_target *target,
                            pid_t **processes, size_t *n)
{
    AUTO_FREE pid_t *more = NULL;
    pid_t *grown;
    size_t n_more = 0;
    int r = process_targets_processes(collector->processes.targets, target, &more, &n_more);

    if (r < 0)
        return r == -ESRCH ? 0 : r;
    grown = reallocarray(*processes, *n + n_more + 1, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    memcpy(grown + *n, more, n_more * sizeof(*more));
    *processes = grown;
    *n += n_more;
    return 0;
}

int collector_list_processes(struct collector *collector, const char *name, pid_t **ret_processes,
                             size_t *ret_n)
{
    const struct entry *entry = ledger_find_group(&collector->ledger, name);
    AUTO_FREE pid_t *processes = NULL;
    size_t n = 0;
    int r = 0;

    if (!entry || !entry->group)
        return -ENOENT;
    for (const struct process_member *member = entry->group->members; member && r == 0;
         member = member->next)
        if (!member->ended)
            r = append_processes(collector, member->target, &processes, &n);
    if (r < 0 || n == 0)
        return r < 0 ? r : -ENOENT;
    *ret_processes = TAKE(processes);
    *ret_n = n;
    return 0;
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
