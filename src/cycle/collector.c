/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One cycle, in this order: discover, so that what has ended is read once more and closed, and what
 * is new is entered; open; read and derive; publish. run() calls the stages, and nobody else does,
 * but for a predecessor, who is done with its last discovery and its last readings. A failure in a
 * stage leaves the others their work: numbers that stand are never thrown away for what could not
 * be done about others.
 *
 * Between two cycles the first two stages are done for those who are born, as soon as the kernel
 * tells of them: what begins and ends before the next cycle would be lost to it, and of what lives
 * longer its beginning. What is shown remains of one interval, however many were born in it.
 *
 * A successor goes through the same stages once, beside its predecessor, before its first cycle.
 */
#include "cycle/collector.h"

#include <errno.h>

#include "base/clock.h"
#include "cycle/collector_parts.h"
#include "cycle/profiles.h"
#include "cycle/stages.h"
#include "cycle/succession.h"

/* What the stages of one round came to: each 0 or -errno. */
struct outcome {
    int discovered, opened, published;
};

/* Whether there is something to open that was not there in the last readings. */
static bool has_news(struct collector *collector, const struct discovered *discovered)
{
    /* cgroups that come and go claim and free counters of the PMU */
    return collector_grant_counters(collector, discovered->cgroups_changed) ||
           discovered->n_entered > 0;
}

/* The cycle. succession: the predecessor from which the collector takes over, or NULL. */
static struct outcome run(struct collector *collector, const struct round *round,
                          struct succession *succession)
{
    struct outcome outcome = {0};
    struct discovered discovered;
    bool wants_open;

    outcome.discovered = collector_discover(collector, round, &discovered);
    wants_open = has_news(collector, &discovered);
    if (succession && outcome.discovered >= 0)
        outcome.discovered = succession_adopt_counters(succession, round, &discovered);
    if (succession && outcome.discovered < 0)
        return outcome;

    wants_open |= collector->opener.has_unopened;
    collector->opener.has_unopened = round->only_enters && wants_open;
    if (round->between_cycles)
        collector->readings.wants_open |= wants_open; /* what it leaves, the next cycle opens */
    else
        wants_open |= collector->readings.wants_open;
    if (round->only_enters)
        return outcome;
    outcome.opened = collector_open(collector, round, wants_open);
    collector_name_profiles(collector);
    if (round->between_cycles)
        return outcome;

    if (succession)
        succession_adopt_totals(succession);
    collector->readings = collector_read_and_derive(collector);

    if (succession)
        succession_adopt_ended(succession, round);
    else
        outcome.published = collector_publish(collector, round);
    return outcome;
}

int collector_cycle(struct collector *collector, uint64_t missed)
{
    const struct round round = {.now_ns = clock_monotonic_ns()};
    struct outcome outcome;

    collector->status.cycles++;
    collector->status.cycles_late += missed;
    collector_probe_again(collector, round.now_ns);
    outcome = run(collector, &round, NULL);
    collector_look_for_movement(collector);
    memory_give_back(&collector->memory, round.now_ns);
    if (outcome.published < 0)
        return outcome.published;
    return outcome.discovered < 0 ? outcome.discovered : outcome.opened;
}

bool collector_follow(struct collector *collector, bool opens)
{
    const struct round round = {
        .now_ns = clock_monotonic_ns(), .between_cycles = true, .only_enters = !opens};

    (void)run(collector, &round, NULL); /* what fails, the next cycle meets again */
    return collector->opener.has_unopened;
}

/*
 * Both discover once more before the one takes over, so that each birth and death since the last
 * cycle is the predecessor's.
 */
int collector_succeed(struct collector *collector, struct collector *predecessor)
{
    const struct round round = {.now_ns = clock_monotonic_ns()};
    struct succession succession;
    struct discovered discovered;
    int r = collector_discover(predecessor, &round, &discovered);

    predecessor->readings.wants_open |= has_news(predecessor, &discovered);
    if (r < 0)
        return r;
    succession_begin(&succession, collector, predecessor);
    r = run(collector, &round, &succession).discovered;
    if (r < 0)
        succession_give_up(&succession);
    succession_done(&succession);
    return r;
}

int collector_tasks_fd(const struct collector *collector)
{
    const struct process_targets *targets = collector->processes.targets;

    return targets ? process_targets_fd(targets) : -1;
}

bool collector_arm(struct collector *collector)
{
    const struct cgroup_targets *cgroups = collector->cgroups.targets;
    struct process_targets *processes = collector->processes.targets;
    bool has_news = cgroups && cgroup_targets_has_events(cgroups);

    if (processes)
        has_news |= process_targets_arm(processes);
    return has_news;
}

size_t collector_n_cpus(const struct collector *collector)
{
    return collector->cpus.online->n;
}

bool collector_cpus_changed(const struct collector *collector)
{
    return counted_cpus_changed(&collector->cpus, collector->setup.sysfs_fd);
}

void collector_note_reload(struct collector *collector, bool good)
{
    collector->status.config_reload_good = good;
    if (good)
        collector->status.config_reload_realtime_ns = clock_realtime_ns();
}

void collector_note_doubt(struct collector *collector, double share)
{
    collector->status.unattributed_share = share;
}

void collector_pause(struct collector *collector, uint64_t end_realtime_ns)
{
    const bool is_paused = end_realtime_ns != 0;

    collector->setup.direct->paused = is_paused;
    if (collector->setup.bpf)
        collector->setup.bpf->paused = is_paused;
    collector->cpu_times_missed = true;
    collector->status.paused = is_paused;
    collector->status.pause_end_realtime_ns = end_realtime_ns;
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        struct entry *entry = collector->ledger.entries[i];

        if (entry->counters)
            counter_set_follow_pause(entry->counters);
        if (entry->group)
            process_group_follow_pause(entry->group);
    }
}
