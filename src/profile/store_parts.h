/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the parts of the store share (profile/store.h). A sample goes to two places: to the ring of
 * the last samples, and to the open minute of its target, which becomes a slice when it is over.
 * So each sample is once in the ring, for a while, and once in an open minute or in a slice; a
 * question is answered from the one or from the other, never from both (store_collect.c).
 */

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "base/keyed_hash.h"
#include "profile/count_map.h"
#include "profile/name_table.h"
#include "profile/recent.h"
#include "profile/slice.h"
#include "profile/store.h"
#include "profile/trie.h"

#define MINUTE_NS UINT64_C(60000000000)

/* These are always there, so that what finds no room, nor memory, can be counted. */
#define STORE_FOLDED_FUNCTION 0 /* "(folded)" */
#define STORE_FOLDED_NODE     1 /* that function below the root */
#define STORE_MACHINE         0 /* the target of what is in no cgroup that is counted */

#define STORE_NODES_LEAST     64
#define STORE_FUNCTIONS_LEAST 16
#define STORE_NAME_BYTES      128 /* of a function, on the average: their sum is bounded by that */

/* The version of what store_pack.c writes and store_unpack.c reads. Another one is damage. */
#define STORE_PACKED_VERSION 1

#define OPEN_MINUTES 2 /* the one that goes on, and the one before, for samples that come late */

struct open_minute {
    uint32_t minute;
    uint32_t folded; /* samples of STORE_FOLDED_NODE that need no memory */
    struct count_map counts;
};

/*
 * Who shares limits with others: a top-level cgroup with all below it, a group of processes, and
 * what is in no cgroup that is counted.
 */
struct store_tenant {
    UT_hash_handle hh;
    uint32_t number;
    size_t nodes, bytes, targets;
    char key[];
};

struct store_target {
    UT_hash_handle hh;
    enum profile_scope scope;
    uint32_t number;
    struct store_tenant *tenant;
    struct open_minute open[OPEN_MINUTES];
    struct slice **slices; /* in no order */
    size_t n_slices, capacity;
    uint64_t first_ns, last_ns;
    uint64_t samples; /* since it was entered */
    char key[];       /* a character for the scope, then the label */
};

static inline const char *store_target_label(const struct store_target *target)
{
    return target->key + 1;
}

struct profile_store {
    struct profile_limits limits;
    unsigned rate_hz;
    struct trie trie;
    struct name_table names;
    struct trie *guest; /* store_guest.h */
    struct recent recent;
    struct hash_key hash_key;
    struct store_target **targets, *targets_by_key;
    size_t n_targets, targets_capacity;
    struct store_tenant **tenants, *tenants_by_key;
    size_t n_tenants, tenants_capacity;
    bool targets_refused;  /* since they were looked through */
    uint32_t open_from;    /* the first minute that is not closed */
    uint32_t minutes_from; /* before this minute, which begins an hour, there are hours only */
    uint64_t began_ns;     /* at the first tick; 0: there was none yet */
    uint64_t now_ns;       /* of the last tick */
    uint64_t latest_ns;    /* of the last tick, or of a sample after it */
    uint64_t generation;
    size_t n_slices, slice_bytes;
    size_t adds_to_wait; /* samples for which no room is made, since it was made just now */
    uint64_t folded_samples, dropped_slices;
};

static inline bool open_minute_is_empty(const struct open_minute *open)
{
    return open->counts.n == 0 && open->folded == 0;
}
