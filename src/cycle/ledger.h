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
#include "count/bpf/latency_meter.h"
#include "count/counter_set.h"
#include "cycle/footprint.h"
#include "cycle/process_group.h"
#include "metric/account.h"
#include "metric/roster.h"
#include "profile/targets.h"
#include "resolve/resolution.h"
#include "target/cgroup_targets.h"

/* What shows that the counters of a cgroup move (movement.h). */
struct entry_moves {
    bool compared;       /* there was a first look, with which the next is compared */
    bool moved;          /* the counters have moved since the first look */
    bool doubtful;       /* at one look they had not moved, though the cgroup had run */
    uint64_t usage_usec; /* CPU time of the cgroup at the first look */
};

/* Whose samples an entry has (profiles.h). */
struct entry_profile {
    struct profile_target *target; /* a reference; NULL: they are not told apart */
    struct profile_reading last;   /* what was read of it last */
};

struct entry {
    size_t class_index;
    struct account *account;         /* NULL: a limit left no room for it; `uncounted` says which */
    struct counter_set *counters;    /* NULL: it has ended, has no room, or is a sum */
    struct latency_meter *latencies; /* NULL: they are not wanted, or cannot be counted */
    uint64_t latencies_retry_ns;     /* CLOCK_MONOTONIC: a meter is not tried again before */
    struct cgroup_target *cgroup; /* NULL: it is the machine, a CPU, or a cgroup that has ended */
    struct identity *identity;    /* a reference, where there is no cgroup to borrow it from */
    struct process_group *group;  /* NULL: it is no group of processes */
    char *path; /* where it lingers or rests: the cgroup's path, or the key of the group's name */
    uint64_t resting_inode;             /* inode of a cgroup that rests; 0: it does not rest */
    const struct cpu_list *cpus;        /* the CPUs on which it is counted; borrowed */
    const struct uncore_target *uncore; /* what of a PMU beyond the cores it is; NULL; borrowed */
    struct footprint footprint;         /* what its account takes of /metrics */
    enum absence uncounted;             /* why it is not counted, or not as a whole, now */
    bool over_budget; /* it is counted without the groups that take a counter of the PMU */
    bool is_new;      /* it was entered since the last round of readings, which it was not in */
    bool is_opening;  /* scratch: its counters are being opened in this round */
    bool counted;     /* it has counted something at some time: its totals are worth keeping */
    struct entry_moves moves;
    struct entry_profile profile;
    uint64_t gone_ns;  /* CLOCK_MONOTONIC of its end, or when a resting cgroup was last known to
                          live. 0: it is counted, or is to be */
    UT_hash_handle hh; /* its place among those that linger, which are by path, oldest first */
};

/* Whether it is a group of processes that has, or may get, members. */
static inline bool entry_is_awake(const struct entry *entry)
{
    return entry->group && !entry->gone_ns;
}

struct ledger_limits {
    size_t targets; /* how many may live or linger */
    struct footprint footprint;
};

struct ledger {
    struct resolution *resolution;     /* borrowed */
    struct cgroup_targets *cgroups;    /* borrowed; NULL: no cgroup is counted */
    struct process_targets *processes; /* borrowed; NULL: no process is counted */
    struct profile_targets *profiles;  /* borrowed; NULL: nobody samples */
    struct ledger_limits limits;
    struct entry **entries;
    size_t n_entries;
    struct hash_key hash_key;  /* secret, since strangers choose the paths that are hashed */
    struct entry *lingering;   /* head of the hash of entries that linger or rest */
    struct footprint all;      /* what all accounts take, and /metrics has beside them */
    struct footprint ended;    /* the part of `all` that is of entries that linger or rest */
    bool changed;              /* accounts came, went or were renamed since ledger_roster() */
    struct account **accounts; /* all accounts, in the order of the roster */
    size_t n_accounts;
};

/* What its entries are of, each of which may be NULL. */
struct ledger_sets {
    struct cgroup_targets *cgroups;
    struct process_targets *processes;
    struct profile_targets *profiles;
};

void ledger_init(struct ledger *ledger, struct resolution *resolution,
                 const struct ledger_sets *sets, const struct ledger_limits *limits);
void ledger_done(struct ledger *ledger);

/*
 * Enters a target, and takes over a reference to the identity. Where no room can be made it is
 * entered without an account, over_limit. 0 or -ENOMEM; then the target is not entered.
 */
int ledger_add(struct ledger *ledger, size_t class_index, struct cgroup_target *cgroup,
               struct identity *identity, uint64_t start_realtime_ns, struct entry **ret_entry);

/*
 * Tries again to give an account to a target that was refused one. A cgroup that rests here gets
 * back the account that it had. 0 or -ENOMEM.
 */
int ledger_admit(struct ledger *ledger, struct entry *entry, uint64_t start_realtime_ns);

/* The samples of the entry are not told apart any more; they are those of what contains it. */
void ledger_end_profile(struct ledger *ledger, struct entry *entry);

/*
 * The target has ended and its last reading is in the account: it leaves the set of
 * cgroups, and from now on it lingers, or is gone at once if it was never counted. A cgroup that
 * was shed rests: it goes on with its totals when there is room again.
 */
void ledger_linger(struct ledger *ledger, struct entry *entry, uint64_t now_ns);

/* Ends so many of those that linger or rest, to have their memory back. */
void ledger_forget(struct ledger *ledger, size_t n);

/*
 * Takes the totals of a cgroup of another ledger, where they fit. A cgroup that has ended there
 * lingers here. One that lives, and that is no target here or has no account, rests: it keeps its
 * account for as long as it lives and there is room, and goes on with it later.
 */
void ledger_inherit(struct ledger *ledger, size_t class_index, const struct entry *from,
                    uint64_t now_ns);

/* The resting entry of that cgroup, if it is of the same birth. NULL: there is none. */
struct entry *ledger_find_resting(const struct ledger *ledger, const struct cgroup_target *cgroup);

/* The group of processes of that name, at rest or not. NULL: there is none. */
struct entry *ledger_find_group(const struct ledger *ledger, const char *name);

/* Takes the totals of a group of processes of another ledger, which rests here, for this rule. */
void ledger_inherit_group(struct ledger *ledger, size_t class_index, int rule,
                          const struct entry *from, uint64_t gone_ns);

/*
 * A group of processes has no member now. Its totals stay for as long as there is room; but where
 * its name tells one process from another, they linger.
 */
void ledger_rest(struct ledger *ledger, struct entry *entry, uint64_t now_ns);

/*
 * Takes the group of the target's name out of its rest, to get the target as its member. Returns
 * NULL if none rests. A group whose name tells one process from another wakes for the same process
 * only; for another process it ends.
 */
struct entry *ledger_wake(struct ledger *ledger, const struct process_target *target);

/*
 * A cgroup is born: what lingers under the same labels ends at once, unless it is the same birth.
 */
void ledger_replace(struct ledger *ledger, const struct cgroup_target *cgroup);

/* Ends what has lingered for long enough, and what rests and does not live any more. */
void ledger_retire(struct ledger *ledger, uint64_t now_ns, uint64_t linger_ns);

/* Brings labels up to date after the identities of cgroups have changed. */
void ledger_rename(struct ledger *ledger);

/*
 * A roster of all accounts; ledger->accounts is in its order until the next
 * change. 0 or -ENOMEM.
 */
int ledger_roster(struct ledger *ledger, struct roster **ret_roster);
