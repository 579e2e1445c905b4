/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The targets that have numbers on /metrics: those that are counted, those that
 * have ended and whose totals linger, and those that rest: a cgroup for which there is
 * no room any more, and a group of processes without a member. Keeps the limits of
 * targets, series and bytes; what lingers makes room for what lives, the oldest
 * first and cgroups that rest last, and what lives below one top-level cgroup leaves a
 * quarter of everything to the others.
 */

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "base/keyed_hash.h"
#include "count/counter_set.h"
#include "cycle/footprint.h"
#include "cycle/process_group.h"
#include "metric/account.h"
#include "metric/roster.h"
#include "resolve/resolution.h"
#include "target/cgroup_targets.h"

/* What shows that the counters of a cgroup move (movement.h). */
struct entry_moves {
    bool compared;       /* there is a look to compare with … */
    bool moved;          /* … and since then they have */
    bool doubtful;       /* they have not at one look, though the cgroup ran */
    uint64_t usage_usec; /* CPU time of the cgroup at the look to compare with */
};

struct entry {
    size_t class_index;
    struct account *account;      /* NULL: refused for a limit, see `uncounted` */
    struct counter_set *counters; /* NULL: ended, refused, or a sum */
    struct cgroup_target *cgroup; /* NULL: the machine, a CPU, or a cgroup that has ended */
    struct identity *identity;    /* a reference where there is no cgroup; else NULL */
    struct process_group *group;  /* NULL: not of processes */
    char *path;             /* of a cgroup that has ended or rests; the key of a group at rest */
    uint64_t resting_inode; /* of a cgroup that lives on and is not counted; else 0 */
    const struct cpu_list *cpus; /* where it is counted; borrowed */
    struct footprint footprint;  /* of its account */
    enum absence uncounted;      /* why it is not counted, or not as a whole, now */
    bool over_budget;            /* it is counted without what takes a counter of the PMU */
    bool is_new;                 /* entered since the last cycle: not in a round of readings yet */
    bool is_opening;             /* its counters are being opened; scratch */
    bool counted;                /* it has been: its totals are worth keeping */
    struct entry_moves moves;
    uint64_t gone_ns;  /* CLOCK_MONOTONIC of its end, or when one that rests was last known to
                          live; 0 while it is, or is to be, counted */
    UT_hash_handle hh; /* in lingering, by path, oldest first */
};

/* Whether it is a group of processes that has, or may get, members. */
static inline bool entry_is_awake(const struct entry *entry)
{
    return entry->group && !entry->gone_ns;
}

struct ledger_limits {
    size_t targets; /* that live or linger */
    struct footprint footprint;
};

struct ledger {
    struct resolution *resolution;  /* borrowed */
    struct cgroup_targets *cgroups; /* borrowed; NULL where there are none, as the next */
    struct process_targets *processes;
    struct ledger_limits limits;
    struct entry **entries;
    size_t n_entries;
    struct hash_key hash_key;  /* paths are the choice of strangers */
    struct entry *lingering;   /* hash */
    struct footprint all;      /* of all accounts, and of what /metrics has beside them */
    struct footprint ended;    /* of those that linger */
    bool changed;              /* since the last ledger_roster() */
    struct account **accounts; /* in the order of the roster */
    size_t n_accounts;
};

void ledger_init(struct ledger *ledger, struct resolution *resolution,
                 struct cgroup_targets *cgroups, struct process_targets *processes,
                 const struct ledger_limits *limits);
void ledger_done(struct ledger *ledger);

/*
 * Enters a target: takes over a reference of the identity. Where no room can be
 * made it is entered without an account, over_limit. 0 or -ENOMEM; then the
 * target is not entered.
 */
int ledger_add(struct ledger *ledger, size_t class_index, struct cgroup_target *cgroup,
               struct identity *identity, uint64_t start_realtime_ns, struct entry **ret_entry);

/*
 * Tries again to give an account to a target that was refused one: for a cgroup that rests here,
 * the one that it had. 0 or -ENOMEM.
 */
int ledger_admit(struct ledger *ledger, struct entry *entry, uint64_t start_realtime_ns);

/*
 * The target has ended and its last reading is in the account: it leaves the set of
 * cgroups, and from now on it lingers, or is gone at once if it was never counted.
 */
void ledger_linger(struct ledger *ledger, struct entry *entry, uint64_t now_ns);

/*
 * Takes the totals of a cgroup of another ledger, where they fit. What has ended there lingers
 * here. What lives there, and is none of the targets here or one without an account, rests: it
 * keeps its account for as long as it lives and there is room, and goes on with it later.
 */
void ledger_inherit(struct ledger *ledger, size_t class_index, const struct entry *from,
                    uint64_t now_ns);

/* The entry of that cgroup, of the same birth, which rests. NULL: there is none. */
struct entry *ledger_find_resting(const struct ledger *ledger, const struct cgroup_target *cgroup);

/* The group of processes of that name, at rest or not. NULL: there is none. */
struct entry *ledger_find_group(const struct ledger *ledger, const char *name);

/* The same for a group of processes, of this rule here, which rests here. */
void ledger_inherit_group(struct ledger *ledger, size_t class_index, int rule,
                          const struct entry *from, uint64_t gone_ns);

/*
 * A group of processes has no member now. Its totals stay for as long as there is room, or,
 * where its name tells one process from another, linger.
 */
void ledger_rest(struct ledger *ledger, struct entry *entry, uint64_t now_ns);

/*
 * The group of the target's name that has no member now, which it gets; NULL: there is none. One
 * whose name told one process wakes for that alone, and ends for another.
 */
struct entry *ledger_wake(struct ledger *ledger, const struct process_target *target);

/* A target is born: what lingers under the same labels ends at once, but what is the same birth. */
void ledger_replace(struct ledger *ledger, const struct cgroup_target *cgroup);

/* Ends what has lingered for long enough; of what rests, what does not live any more. */
void ledger_retire(struct ledger *ledger, uint64_t now_ns, uint64_t linger_ns);

/* Brings labels up to date after the identities of cgroups have changed. */
void ledger_rename(struct ledger *ledger);

/*
 * A roster of all accounts; ledger->accounts is in its order until the next
 * change. 0 or -ENOMEM.
 */
int ledger_roster(struct ledger *ledger, struct roster **ret_roster);
