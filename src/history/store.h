/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The historian's databases, as the files of this folder share them (history/history_store.h). */

#include "base/clock.h"
#include "history/history.h"
#include "history/recorder.h"
#include "history/vault.h"

struct history_store {
    struct history *history; /* whose store it is; NULL: it stands alone */
    struct history_limits limits;
    struct vault past;     /* chunks */
    struct vault runs;     /* runs and marks */
    struct vault profiles; /* opened when it is first needed */
    struct recorder recorder;
    uint64_t interval_ns;      /* of the snapshots */
    uint64_t n_damaged;        /* chunks that were read and are damaged */
    uint64_t next_thinning_ns; /* when there may be something to thin out, by CLOCK_MONOTONIC */
    unsigned reductions_left;  /* because of the limit, before the next snapshot */
    uint64_t next_count_ns;    /* when targets are counted again, by CLOCK_MONOTONIC */
    uint64_t next_clean_ns; /* when what no chunk needs is looked for again, by CLOCK_MONOTONIC */
    uint64_t thinned_until_ns;
    int64_t clock_offset_ms;      /* the time of day less CLOCK_MONOTONIC, as last seen */
    uint64_t no_aging_until_ns;   /* after a step of the clock nothing grows old for a while */
    bool is_full;                 /* more than the limit is kept, and nothing can be thinned out */
    struct history_status status; /* but for what history.c knows: `dropped` */
};

/* Opens nothing yet. 0 or -ENOMEM. */
int history_store_init(struct history_store *store, const struct history_options *options);

/* Opens the databases. */
void history_store_open(struct history_store *store);

/* Writes what is not written, and closes them. */
void history_store_done(struct history_store *store);

/* Records a snapshot, writes what is due, thins out some of what is old, and renews the status. */
void history_store_record(struct history_store *store, const struct snapshot *snapshot);

void history_store_renew_status(struct history_store *store);

/* How many bytes a vault may have that is in memory. */
static inline uint64_t history_most_in_memory(const struct history_store *store)
{
    const uint64_t most = store->limits.memory_bytes;

    return most && most < HISTORY_MEMORY_BYTES ? most : HISTORY_MEMORY_BYTES;
}

/* How many bytes a vault may have: of the limit, less where it is in memory. */
static inline uint64_t history_limit_bytes(const struct history_store *store,
                                           const struct vault *vault)
{
    const uint64_t most = history_most_in_memory(store), bytes = store->limits.bytes;

    return vault_is_in_memory(vault) && most < bytes ? most : bytes;
}

/* query.c: whether there is anything of a target, at whatever time. */
bool history_store_knows(struct history_store *store, const char *key);

/* thinning.c */

/*
 * Thins out some of what is too old, or too much. It does a little each time, and returns whether
 * there was anything to do.
 */
bool thinning_step(struct history_store *store, uint64_t now_ms);

/* Goes on with what is too much, as far as `reductions_left` tells. Returns the same. */
bool thinning_go_on(struct history_store *store);

/* Chunks of the full resolution become one in this time, and those of ten seconds in 12 times it.
 */
#define THINNING_WINDOW_NS (1800 * NS_PER_SECOND)

extern const struct database_kind runs_kind, profiles_kind;

/* profiles.c: the `move` of their vault. */
int profiles_move(struct database *from, struct database *to);

/* runs_move.c: the `move` of the vault of runs and marks, and how their numbers begin in memory. */
int runs_move(struct database *from, struct database *to);
int runs_begin_numbers(struct database *memory);
