/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The latencies of a process of a group. They are those of the whole process, whether its events
 * are counted so or thread by thread.
 */

#include "cycle/process_group.h"

/* Whether the process has no meter yet and is to get one. */
bool member_latencies_are_wanted(const struct process_member *member,
                                 const struct process_opening *opening);

/*
 * Gives a meter to a process that is counted and lacks one, and names its processes to it again
 * where a mechanism that counts whole processes has just named them to its counters. 0 or -ENOMEM.
 */
int member_latencies_open(struct process_member *member, const struct process_opening *opening);
