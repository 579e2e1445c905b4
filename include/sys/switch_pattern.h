/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A process of ours that switches in a known way, so that a mechanism can be tested by counting it.
 * It has a child on each CPU, which in turns sleeps, runs for a moment and touches fresh pages. So
 * before and after each turn the CPU is idle or runs somebody else.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "sys/cpu_list.h"

/* What each child does. Its birth and its end come on top of it. */
#define SWITCH_PATTERN_TURNS 4
#define SWITCH_PATTERN_PAGES 32 /* in each turn; each is a page fault */

/* The greatest number of processes: itself and its children. */
#define SWITCH_PATTERN_PROCESSES 257

struct switch_pattern;

/*
 * Makes the process, which waits for switch_pattern_run(): what its birth takes is over when this
 * returns. cpus: borrowed for the call. Where a child may not choose its CPU, the scheduler does.
 * NULL and errno: there is no process.
 */
struct switch_pattern *switch_pattern_new(const struct cpu_list *cpus);

/* Kills the process, whatever it is doing. */
struct switch_pattern *switch_pattern_free(struct switch_pattern *pattern);
DEFINE_AUTO(switch_pattern, struct switch_pattern *, switch_pattern_free)

pid_t switch_pattern_process(const struct switch_pattern *pattern);
size_t switch_pattern_n_children(const struct switch_pattern *pattern);

/*
 * Lets the process begin, and waits until its children have ended; the process itself lives on and
 * sleeps. 0; -ETIMEDOUT: the children have not ended in that time; -EPIPE: the process has failed.
 */
int switch_pattern_run(struct switch_pattern *pattern, uint64_t timeout_ns);
