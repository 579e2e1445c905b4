/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How large the bpf mechanism has to be for a configuration, here. */

#include "config/config.h"
#include "sys/bpf/switch/program.h"

/*
 * It has room for the self-test, which comes before all else, and for every CPU that the machine
 * may have, where that is cheap, so that one that comes finds its place; else for those that are
 * online. v1: cgroups are those of the v1 hierarchy. 0 or -errno: CPUs cannot be read.
 */
int mechanism_size_for(const struct config *config, int sysfs_fd, bool v1,
                       struct switch_program_size *ret_size);

/* Whether a mechanism of this size serves where another one is wanted. */
bool mechanism_size_serves(const struct switch_program_size *size,
                           const struct switch_program_size *wanted);
