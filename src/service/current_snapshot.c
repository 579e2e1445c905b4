/* SPDX-License-Identifier: Apache-2.0 */
#include "service/current_snapshot.h"

#include <errno.h>

#include "base/clock.h"

/* A snapshot is stale after 10 s or 5 intervals, whichever is more. */
#define STALE_NS        (10 * NS_PER_SECOND)
#define STALE_INTERVALS 5

uint64_t current_snapshot_stale_ns(uint64_t interval_ns)
{
    uint64_t intervals_ns = STALE_INTERVALS * interval_ns;

    return intervals_ns > STALE_NS ? intervals_ns : STALE_NS;
}

uint64_t current_snapshot_age_ns(const struct snapshot *snapshot)
{
    return clock_monotonic_ns() - snapshot->taken_ns;
}

bool current_snapshot_is_stale(const struct snapshot *snapshot)
{
    return current_snapshot_age_ns(snapshot) >
           current_snapshot_stale_ns(snapshot->status.interval_ns);
}

uint64_t current_snapshot_version(const struct current_snapshot *current)
{
    AUTO(snapshot) struct snapshot *snapshot = snapshot_slot_get(current->slot);

    /* A stale page shows its age, which is another one each time. */
    if (!snapshot || current_snapshot_is_stale(snapshot))
        return 0;
    return snapshot->sequence;
}

int current_snapshot_take(const struct current_snapshot *current, struct text *text,
                          struct snapshot **ret_snapshot)
{
    struct snapshot *const snapshot = snapshot_slot_get(current->slot);

    if (!snapshot) {
        text_append_string(text, "not ready: there are no numbers yet\n");
        return -EAGAIN;
    }
    *ret_snapshot = snapshot;
    return 0;
}

int current_snapshot_write_targets(const struct current_snapshot *current,
                                   const struct snapshot *snapshot,
                                   const struct targets_selection *selection, struct text *text)
{
    struct exposition_facts facts = {.stale = current_snapshot_is_stale(snapshot)};
    struct self_stats self;

    if (self_stats_read(current->procfs_fd, &self) == 0)
        facts.self = &self;
    return targets_json_write(snapshot, &facts, selection, text);
}

/*
 * The reasons that somebody has to remove if they leave nothing counted at all. Something that the
 * machine lacks, as a PMU, is no such reason, and neither are rules that match nothing yet.
 */
static const struct {
    enum absence reason;
    const char *text;
} hindrances[] = {
    {ABSENCE_NOT_PERMITTED,
     "nothing is counted, it is not permitted (not_permitted): grant CAP_PERFMON, or lower "
     "kernel.perf_event_paranoid"},
    {ABSENCE_NO_DESCRIPTORS,
     "nothing is counted, descriptors are used up (no_descriptors): raise the limit of open files"},
    {ABSENCE_NO_MEMORY,
     "nothing is counted, the memory limit of the exporter's cgroup leaves no room (no_memory): "
     "raise it"},
};

/* Returns why nothing is counted although there is something to count; NULL: something is. */
static const char *hindrance(const struct exporter_status *status)
{
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        if (status->targets[kind] > 0)
            return NULL;
    for (size_t i = 0; i < ARRAY_SIZE(hindrances); i++)
        for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
            if (status->uncounted[kind][hindrances[i].reason] > 0)
                return hindrances[i].text;
    return NULL;
}

const char *current_snapshot_not_ready(const struct current_snapshot *current)
{
    AUTO(snapshot) struct snapshot *snapshot = snapshot_slot_get(current->slot);

    if (!snapshot)
        return "the first cycle is not complete";
    if (current_snapshot_is_stale(snapshot))
        return "the last cycle is too long ago";
    return hindrance(&snapshot->status);
}
