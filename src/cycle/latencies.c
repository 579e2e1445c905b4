/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/latencies.h"

#include "cycle/collector_parts.h"
#include "log/log.h"
#include "resolve/mechanism_size.h"

/* The latencies that the rule of an entry wants: a set of enum latency_kind. */
static unsigned wanted_of(const struct collector *collector, const struct entry *entry)
{
    const struct config *config = collector->setup.config;
    const size_t index = entry->class_index;

    if (index == CLASS_MACHINE)
        return config->system.latency;
    if (index >= CLASS_CGROUP && index < collector->resolution->first_process)
        return config->cgroups[index - CLASS_CGROUP].latency;
    if (index >= collector->resolution->first_process &&
        index < collector->resolution->first_uncore)
        return config->processes[index - collector->resolution->first_process].latency;
    return 0;
}

bool collector_wants_latencies(const struct collector *collector, const struct entry *entry)
{
    return collector->setup.latency && entry->account && !entry->gone_ns &&
           wanted_of(collector, entry) != 0;
}

static void open_one(const struct collector *collector, struct entry *entry, uint64_t now_ns)
{
    const struct scope scope = {
        .kind = entry->cgroup ? SCOPE_CGROUP : SCOPE_SYSTEM,
        .cgroup_fd = entry->cgroup ? entry->cgroup->fd : -1,
    };

    entry->latencies_retry_ns = now_ns + LATENCIES_RETRY_NS;
    (void)latency_meter_new(collector->setup.latency, &scope, &entry->latencies);
}

void collector_open_latencies(struct collector *collector, const struct round *round)
{
    for (size_t i = 0; i < collector->ledger.n_entries && collector->setup.latency; i++) {
        struct entry *entry = collector->ledger.entries[i];

        if (!entry->latencies && !entry->group && round->now_ns >= entry->latencies_retry_ns &&
            (entry->is_new || !round->between_cycles) &&
            collector_wants_latencies(collector, entry))
            open_one(collector, entry, round->now_ns);
    }
}

void collector_adopt_latencies(const struct collector *collector, struct entry *entry,
                               struct entry *from)
{
    const struct mechanism *latency = collector->setup.latency;

    if (!collector_wants_latencies(collector, entry))
        return;
    if (entry->group)
        process_group_adopt_latencies(entry->group, from->group, latency);
    else if (!entry->latencies)
        entry->latencies = latency_meter_adopt(&from->latencies, latency);
}

void collector_hand_over_latencies(struct entry *entry, struct entry *from)
{
    if (entry->group)
        process_group_hand_over_latencies(entry->group, from->group);
    else
        latency_meter_hand_over(&from->latencies, entry->latencies);
}

/* Whether the target wanted a meter and did not get one; of a group, one of its processes did. */
static bool has_no_room(const struct collector *collector, const struct entry *entry)
{
    if (!collector_wants_latencies(collector, entry))
        return false;
    if (entry->group && !collector->setup.latency->counts_processes)
        return true;
    for (const struct process_member *member = entry->group ? entry->group->members : NULL; member;
         member = member->next)
        if (member->latencies_retry_ns && !member->latencies && !member->ended)
            return true;
    return entry->latencies_retry_ns && !entry->latencies;
}

static struct latency_status status_of(const struct collector_setup *setup,
                                       const struct latency_part *part)
{
    struct latency_status status = {
        .wanted = (latency_wanted(setup->config) & part->kinds) != 0,
        .reason = setup->latency_reason,
    };

    if (status.wanted && setup->latency)
        status.reason = mechanism_bpf_unobserved(setup->latency, part->kinds);
    return status;
}

/* What cannot be counted is told once for each collector, and stays in its status. */
static void log_unobserved(const struct collector_setup *setup)
{
    for (size_t i = 0; i < LATENCY_PARTS; i++) {
        const struct latency_status status = status_of(setup, &latency_parts[i]);

        if (status.wanted && status.reason)
            log_warning("latencies are not counted, although they are configured", "kind",
                        latency_parts[i].word, "reason", status.reason);
    }
}

/* What a collector, or NULL, asks of a mechanism: a set of enum latency_kind. */
static unsigned asked_of(const struct collector *collector, const struct mechanism *mechanism)
{
    return collector && collector->setup.latency == mechanism
               ? latency_wanted(collector->setup.config)
               : 0;
}

int collector_observe(const struct collector *collector, const struct collector *predecessor)
{
    const struct collector_setup *setup = &collector->setup;
    int r;

    if (!setup->latency)
        return 0;
    mechanism_bpf_place_cpus(setup->latency, setup->sysfs_fd, collector->cpus.online);
    r = mechanism_bpf_observe(
        setup->latency, asked_of(collector, setup->latency) | asked_of(predecessor, setup->latency),
        setup->sysfs_fd);
    if (r >= 0)
        log_unobserved(setup);
    return r;
}

/* Where there is no memory for what observes, there is nothing to be ended. */
static void observe_for(const struct collector *remaining, struct mechanism *mechanism)
{
    if (mechanism)
        (void)mechanism_bpf_observe(mechanism, asked_of(remaining, mechanism),
                                    remaining->setup.sysfs_fd);
}

/* A mechanism is asked once: what is refused would be tried again. */
void collector_observe_alone(const struct collector *remaining, const struct collector *ended)
{
    struct mechanism *latency = remaining->setup.latency;

    observe_for(remaining, latency);
    if (ended && ended->setup.latency != latency)
        observe_for(remaining, ended->setup.latency);
}

void collector_status_of_latencies(const struct collector *collector,
                                   struct exporter_status *status)
{
    const struct collector_setup *setup = &collector->setup;

    for (size_t i = 0; i < LATENCY_PARTS; i++)
        status->latency[i] = status_of(setup, &latency_parts[i]);
    status->spans = collector->spans;
    status->timed_calls = collector->timed_calls;
    status->latency_unknown = setup->direct->unknown_latencies;
    if (setup->bpf)
        status->latency_unknown += setup->bpf->unknown_latencies;
    if (setup->latency && setup->latency != setup->bpf)
        status->latency_unknown += setup->latency->unknown_latencies;
    status->latency_without_room = 0;
    for (size_t i = 0; i < collector->ledger.n_entries; i++)
        status->latency_without_room += has_no_room(collector, collector->ledger.entries[i]);
}
