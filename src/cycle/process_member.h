/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One process of a group: how its threads are opened, followed and read. */

#include "cycle/process_group.h"

struct process_member *process_member_free(struct process_member *member,
                                           struct process_targets *targets);

/* Whether some of its counters ought to be open and are not. */
bool process_member_is_incomplete(const struct process_member *member);

/* Why it is not counted, or not as a whole, now. */
enum absence process_member_absence(const struct process_member *member);

/* Whether it is counted as a whole. */
bool process_member_is_counted(const struct process_member *member);

/* On how many threads it was opened; 0 where whole processes are counted. */
size_t process_member_threads(const struct process_member *member);

/* Whether some of its counters are to be opened now, or its threads are to be followed. */
bool process_member_wants_open(const struct process_member *member,
                               const struct process_opening *opening);

/* Whether it has no counters yet, and is to get some now. */
bool process_member_is_new(const struct process_member *member,
                           const struct process_opening *opening);

/* Opens counters that are not open; follows threads where the kernel does not. 0 or -errno. */
int process_member_open(struct process_member *member, struct process_opening *opening);

/*
 * Adds what was counted since the last reading to the sum, and closes counters that have ended.
 * Returns whether some of the readings was not the first of its counters.
 */
bool process_member_read(struct process_member *member, uint64_t now_ns, struct sample *part,
                         struct sample *sum);

/* The first reading of counters that were opened between two rounds of readings. */
void process_member_begin(struct process_member *member, uint64_t since_ns, uint64_t now_ns,
                          struct sample *part);

/* As process_group_prepare() and process_group_adopt(), for one process. */
int process_member_prepare(struct process_member *member, const struct process_member *from,
                           const struct process_opening *opening);
void process_member_adopt(struct process_member *member, struct process_member *from,
                          const struct cpu_list *cpus);
