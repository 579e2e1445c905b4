/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "history/recorder_latencies.h"
#include "history/store.h"

/* A clock that is set by more than this has made a step. Then nothing is aged for an hour. */
#define CLOCK_STEP_MS  60000
#define CLOCK_DOUBT_NS (3600 * NS_PER_SECOND)
#define CLEAN_EVERY_NS (3600 * NS_PER_SECOND)

/* The status tells the size and the oldest of the databases as they were within this time. */
#define THINNING_EVERY_NS (10 * NS_PER_SECOND)

/* To count targets reads them all: many of them are counted again after this time. */
#define MANY_TARGETS   10000
#define COUNT_EVERY_NS (60 * NS_PER_SECOND)

int history_store_init(struct history_store *store, const struct history_options *options)
{
    int r;

    *store = (struct history_store){.limits = options->limits};
    r = vault_init(&store->past, &chunk_table_kind, options->directory, chunk_table_move);
    if (r == 0 || r == -ENOMEM)
        r = vault_init(&store->runs, &runs_kind, options->directory, runs_move);
    if (r == 0 || r == -ENOMEM)
        r = vault_init(&store->profiles, &profiles_kind, options->directory, profiles_move);
    store->next_clean_ns = clock_monotonic_ns() + CLEAN_EVERY_NS;
    return r;
}

static int insert_chunk(const struct chunk_row *row, void *context)
{
    return chunk_table_insert(context, row);
}

struct writing {
    struct recorder *recorder;
    bool all;
};

static int write_rows(struct database *database, void *context)
{
    const struct writing *writing = context;

    return recorder_write(writing->recorder, writing->all, insert_chunk, database);
}

/* Where the disk fails the second try is in memory. */
static void write_due(struct history_store *store, bool all)
{
    struct writing writing = {&store->recorder, all};
    int r;

    if (!all && !recorder_is_due(&store->recorder))
        return;
    vault_check(&store->past);
    vault_check(&store->runs);
    r = vault_write(&store->past, write_rows, &writing);
    if (r < 0)
        r = vault_write(&store->past, write_rows, &writing);
    if (r == 0)
        recorder_written(&store->recorder, all);
}

void history_store_done(struct history_store *store)
{
    write_due(store, true);
    recorder_done(&store->recorder);
    vault_done(&store->past);
    vault_done(&store->runs);
    vault_done(&store->profiles);
}

static void write_text(char text[HISTORY_TEXT_BYTES], const char *string)
{
    (void)snprintf(text, HISTORY_TEXT_BYTES, "%s", string ? string : "");
}

uint64_t history_store_memory(const struct history_store *store)
{
    return store->limits.memory_bytes;
}

static void count_targets(struct history_store *store)
{
    struct database *databases[2];
    const size_t n = vault_readable(&store->past, databases);

    store->status.targets = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t targets = 0;

        if (database_ask(databases[i],
                         "SELECT count(*) FROM targets WHERE kind NOT IN " BESIDE_KINDS,
                         &targets) == 0)
            store->status.targets += targets;
    }
}

static void ask_databases(struct history_store *store)
{
    struct history_status *status = &store->status;
    struct database *databases[2];
    const size_t n = vault_readable(&store->past, databases);

    status->bytes = 0;
    status->oldest_realtime_ns = NUMBER_ABSENT_COUNT;
    for (size_t i = 0; i < n; i++) {
        uint64_t used = 0, oldest = 0;

        if (database_size(databases[i], &used) == 0)
            status->bytes += used;
        if (database_ask(databases[i],
                         "SELECT start FROM chunks WHERE level = (SELECT max(level) FROM chunks)"
                         " ORDER BY end LIMIT 1",
                         &oldest) == 0 &&
            oldest > 0 && oldest * 1000000 < status->oldest_realtime_ns)
            status->oldest_realtime_ns = oldest * 1000000;
    }
}

/* Why a file was set aside, of the first one of which that is known. */
static const char *set_aside_reason(const struct history_store *store)
{
    const struct vault *const vaults[] = {&store->past, &store->runs, &store->profiles};

    for (size_t i = 0; i < ARRAY_SIZE(vaults); i++)
        if (vaults[i]->disk.foreign)
            return vaults[i]->disk.foreign;
    return NULL;
}

void history_store_renew_status(struct history_store *store)
{
    struct history_status *status = &store->status;

    status->limit_bytes = history_limit_bytes(store, &store->past);
    status->samples = store->recorder.n_samples;
    status->write_errors = store->past.n_errors + store->runs.n_errors + store->profiles.n_errors;
    status->set_aside = store->past.disk.n_set_aside + store->runs.disk.n_set_aside +
                        store->profiles.disk.n_set_aside;
    status->damaged = store->n_damaged;
    status->in_memory = vault_is_in_memory(&store->past);
    write_text(status->file, store->past.disk.handle ? store->past.disk.path : "");
    write_text(status->reason, vault_reason(&store->past));
    write_text(status->set_aside_reason, set_aside_reason(store));
}

void history_store_open(struct history_store *store)
{
    vault_check(&store->past);
    vault_check(&store->runs);
    ask_databases(store);
    count_targets(store);
    history_store_renew_status(store);
}

/* Notices a clock that was set. The first snapshot tells only where it stands. */
static void watch_clock(struct history_store *store, const struct snapshot *snapshot)
{
    const int64_t offset =
        (int64_t)(snapshot->taken_realtime_ns / 1000000) - (int64_t)(snapshot->taken_ns / 1000000);
    const int64_t step = offset - store->clock_offset_ms;

    if (store->clock_offset_ms != 0 && (step > CLOCK_STEP_MS || step < -CLOCK_STEP_MS))
        store->no_aging_until_ns = snapshot->taken_ns + CLOCK_DOUBT_NS;
    store->clock_offset_ms = offset;
}

static void clean(struct history_store *store, uint64_t now_ns)
{
    struct database *databases[2];
    const size_t n = vault_readable(&store->past, databases);

    if (now_ns < store->next_clean_ns)
        return;
    store->next_clean_ns = now_ns + CLEAN_EVERY_NS;
    for (size_t i = 0; i < n; i++) {
        int r = chunk_table_clean(databases[i]);

        if (r < 0)
            vault_failed(&store->past, databases[i], r);
    }
}

/* Where nothing was to be done, the databases are not asked again in the next seconds. */
static void thin_out(struct history_store *store, const struct snapshot *snapshot)
{
    const bool ages = snapshot->taken_ns >= store->no_aging_until_ns;

    if (snapshot->taken_ns < store->next_thinning_ns)
        return;
    ask_databases(store);
    if (store->status.targets < MANY_TARGETS || snapshot->taken_ns >= store->next_count_ns) {
        store->next_count_ns = snapshot->taken_ns + COUNT_EVERY_NS;
        count_targets(store);
    }
    if (!thinning_step(store, ages ? snapshot->taken_realtime_ns / 1000000 : 0))
        store->next_thinning_ns = snapshot->taken_ns + THINNING_EVERY_NS;
}

void history_store_record(struct history_store *store, const struct snapshot *snapshot)
{
    int r = recorder_add(&store->recorder, snapshot);

    if (r < 0)
        store->status.dropped++;
    store->interval_ns = snapshot->status.interval_ns;
    watch_clock(store, snapshot);
    write_due(store, false);
    thin_out(store, snapshot);
    clean(store, snapshot->taken_ns);
    history_store_renew_status(store);
}
