/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How large the bpf mechanism has to be for a configuration, on this machine. */

#include "config/config.h"
#include "sys/bpf/switch/program.h"

/*
 * The size has room for the self-test, which comes before all else. It has room for every CPU that
 * the machine may ever have, where that is cheap, so that a CPU that comes finds its place; else
 * for the CPUs that are online. procfs_fd: -1: there is none. v1: cgroups are those of the v1
 * hierarchy. 0 or -errno: CPUs cannot be read.
 */
int mechanism_size_for(const struct config *config, int sysfs_fd, int procfs_fd, bool v1,
                       struct switch_program_size *ret_size);

/* What latencies the targets of a configuration want: a set of enum latency_kind. */
unsigned latency_wanted(const struct config *config);

/*
 * Whether a mechanism of this size serves where one of the wanted size is asked for. One that
 * counts latencies, which each switch pays for, does not serve where none are wanted.
 */
bool mechanism_size_serves(const struct switch_program_size *size,
                           const struct switch_program_size *wanted);
