/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The processes that a collector counts: by which rules, in which set. */

#include "target/process_targets.h"

struct collector;

struct counted_processes {
    struct process_rules *rules;     /* NULL: the configuration has none */
    struct process_targets *targets; /* NULL where there are no rules */
    bool can_inherit_threads;        /* the kernel counts a thread with the one that starts it */
    uint64_t renewals;   /* of names (target/target_names.h), when the rules were made */
    uint64_t unfollowed; /* how many children without room were added to `dropped` until now */
};

/* Makes the rules and the set, from the configuration. 0 or -errno. */
int collector_make_processes(struct collector *collector);

void counted_processes_done(struct counted_processes *processes);

/* How many descriptors all processes may take, their pidfds included: at most half of all. */
size_t collector_process_descriptors(const struct collector *collector);

/* How many descriptors are open without counters: pidfds, and what announces births and deaths. */
size_t collector_watch_descriptors(const struct collector *collector);

/* Whether each cycle has to look which threads have come and gone, since nobody else tells. */
bool collector_follows_threads(const struct collector *collector);

/* Counts as dropped the children for whom the mechanism has had no room since the last round. */
void collector_note_unfollowed(struct collector *collector);
