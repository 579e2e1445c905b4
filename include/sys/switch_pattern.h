/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A process of ours that switches in a known way, for a mechanism to prove itself by: on each
 * CPU a child of its own runs for a moment, touches fresh pages and sleeps, in turn, so that
 * the CPU is idle, or somebody else's, before and after each turn.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "sys/cpu_list.h"

/* What each child does at the least; more is what it takes to be born and to end. */
#define SWITCH_PATTERN_TURNS 4
#define SWITCH_PATTERN_PAGES 32 /* of a turn, each one a page fault */

/* It and its children, at the most. */
#define SWITCH_PATTERN_PROCESSES 257

struct switch_pattern;

/*
 * The process is born, and waits. cpus: borrowed for the call; those on which it may not run
 * are left to the scheduler. NULL with errno: there is no process.
 */
struct switch_pattern *switch_pattern_new(const struct cpu_list *cpus);

/* Ends it, whatever it is doing. */
struct switch_pattern *switch_pattern_free(struct switch_pattern *pattern);
DEFINE_AUTO(switch_pattern, struct switch_pattern *, switch_pattern_free)

pid_t switch_pattern_process(const struct switch_pattern *pattern);
size_t switch_pattern_n_children(const struct switch_pattern *pattern);

/*
 * Lets it go, and waits until its children have ended; it lives on, and sleeps. 0;
 * -ETIMEDOUT: not within that time; -EPIPE: it has failed.
 */
int switch_pattern_run(struct switch_pattern *pattern, uint64_t timeout_ns);
