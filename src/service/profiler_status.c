/* SPDX-License-Identifier: Apache-2.0 */
#include "service/profiler_status.h"

#include "sys/bpf/profile/period.h"

/* What counts since the start goes on where others have ended; what is of now does not. */
static void add_sampler(struct profile_status *status, const struct sampler *sampler)
{
    struct sampler_figures figures;

    sampler_figures(sampler, &figures);
    status->samples += figures.samples;
    status->lost += figures.lost;
    for (size_t i = 0; i < PROFILE_OUTCOME_COUNT_; i++)
        status->stacks[i] += figures.stacks[i];
    for (size_t i = 0; i < OBJECT_OUTCOME_COUNT_; i++)
        status->jobs[i] += figures.jobs[i];
    status->program_ns += figures.program_ns;
    status->reader_cpu_ns += figures.reader_cpu_ns;
    status->processes_without_room += figures.processes_without_room;
    status->files_without_room += figures.files_without_room;
    status->tables_without_room += figures.tables_without_room;
    status->maps_without_room += figures.maps_without_room;
    status->files_read = figures.files_read;
    status->files_awaited = figures.files_awaited;
    status->files_refused = figures.files_refused;
    status->files_missing = figures.files_missing;
    status->files_kept = figures.files_kept;
    status->table_bytes = figures.table_bytes;
    status->kept_bytes = figures.bytes;
    status->processes = figures.processes;
}

static void add_store(struct profile_status *status, const struct profile_store *store)
{
    struct profile_figures figures;

    profile_store_figures(store, &figures);
    status->folded_samples += figures.folded_samples;
    status->dropped_slices += figures.dropped_slices;
    status->kept_bytes += figures.bytes;
}

struct profile_status profiler_status_make(const struct profiler_facts *facts)
{
    struct profile_status status = *facts->ended;

    status.wanted = facts->wanted;
    status.reason = facts->reason;
    status.rate_hz = (double)profile_rate_millihertz(facts->rate_hz) / 1000;
    status.files_read = status.files_awaited = status.files_refused = status.files_missing =
        status.files_kept = 0;
    status.table_bytes = status.kept_bytes = status.processes = 0;
    if (facts->sampler)
        add_sampler(&status, facts->sampler);
    if (facts->store)
        add_store(&status, facts->store);
    status.sampler_cpu_ns = facts->cpu_ns;
    return status;
}
