/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * From snapshots to rows: for each target that is counted now it has the rows that are not stored
 * yet, about a minute of them.
 */

#include "history/chunk_table.h"
#include "history/key.h"
#include "history/layout.h"
#include "history/open_rows.h"
#include "metric/snapshot.h"

#define HASH_NONFATAL_OOM                  1
#define HASH_FUNCTION(bytes, length, hash) ((hash) = key_hash((bytes), (length)))
#include <uthash.h>

/* The time of a row by both clocks. */
struct row_time {
    uint64_t monotonic_us, realtime_ms;
};

struct open_target {
    char *key;
    char *kind;
    struct text labels;
    struct layout *layout;
    struct open_rows rows;
    uint64_t start;      /* when its birth was, as its snapshots say */
    uint64_t n_rows_due; /* with so many rows they are stored */
    uint64_t by_key_us;  /* when it was there at a recording of what is counted by key */
    bool is_beside;      /* its rows are other numbers of another target: recorder_cpus.h, … */
    bool is_counted;     /* the last snapshot (with such numbers) has it */
    struct open_target *next_ended;
    UT_hash_handle hh;
};

struct plan_binding {
    struct plan *plan;
    struct layout_binding binding;
    struct layout *latencies; /* NULL: the plan has none */
};

struct recorder {
    struct open_target *targets; /* a hash table by key */
    struct open_target *ended;   /* earlier births, whose rows are not stored yet */
    struct roster *roster;       /* of the last snapshot */
    struct open_target **rows;   /* the target of each of its rows */
    struct plan_binding *plans;  /* for each of its plans */
    size_t n_plans;
    uint64_t taken_ns;             /* of the last snapshot */
    uint64_t latencies_taken_ns;   /* of the last one whose latencies were recorded */
    struct row_time by_key_before; /* of the last one of which that was recorded that has a key */
    uint64_t n_samples;            /* numbers that were recorded */
    uint64_t n_born;
};

/* What stores a chunk: 0 or -errno. */
typedef int recorder_store(const struct chunk_row *row, void *context);

/* Adds the rows of a snapshot, if it is later than the one before. 0 or -ENOMEM. */
int recorder_add(struct recorder *recorder, const struct snapshot *snapshot);

/* Whether some rows are to be stored. */
bool recorder_is_due(const struct recorder *recorder);

/* Has rows stored that are due, or all of them. 0 or the error of store(). */
int recorder_write(struct recorder *recorder, bool all, recorder_store *store, void *context);

/* After rows were stored, with the same `all`: goes on from them, and forgets targets that ended.
 */
void recorder_written(struct recorder *recorder, bool all);

/* Calls visit() with the rows that are not stored yet of a target, or of all (key is NULL). */
typedef int recorder_visit(const struct open_target *target, void *context);
int recorder_each(const struct recorder *recorder, const char *key, recorder_visit *visit,
                  void *context);

void recorder_done(struct recorder *recorder);
