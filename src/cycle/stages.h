/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The cycle's stages for processes; each does nothing where the configuration names none. */

#include "cycle/collector_parts.h"

/* Rules and set, from the configuration. 0 or -errno. */
int collector_make_processes(struct collector *collector);

/* Brings the set to the present: groups rest or wake, members come and end. 0 or -errno. */
int collector_discover_processes(struct collector *collector);

/* Opens what is wanted and not open, for a bounded time. 0 or -ENOMEM. */
int collector_open_processes(struct collector *collector);

/* What opening a member of the entry's group needs, but for the threads that are left. */
struct process_opening collector_opening(const struct collector *collector,
                                         const struct entry *entry);

/* Reads a group and derives. */
void collector_read_group(struct collector *collector, struct entry *entry);

/* Counts as dropped the children for whom the mechanism had no room, since it was last asked. */
void collector_note_unfollowed(struct collector *collector);

/* Adds what of processes is not counted, and why. */
void collector_census_processes(const struct collector *collector, struct exporter_status *status);

/* The group of another ledger with the same name, at rest or not; NULL: there is none. */
struct entry *collector_same_group(const struct ledger *ledger, const struct entry *entry);

/* A group that only the predecessor has, and that a rule still makes, rests here. */
void collector_inherit_group(struct collector *collector, const struct collector *predecessor,
                             const struct entry *entry);
