/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The limit of open files, which is one of numbers: no descriptor gets a number at or above it.
 * What is held by the thousand (counters, directories of cgroups, pidfds) is kept above a reserve,
 * so that below it there are numbers for connections and files also where somebody lowers the
 * limit of the running process (prlimit(1)) and all that is open stays open.
 */

#include <stdint.h>

/* Raises the soft limit to the hard one; tells what it is then. 0 or -errno. */
int descriptors_raise_limit(uint64_t *ret_limit);

/* The soft limit as it is now. 0 or -errno. */
int descriptors_read_limit(uint64_t *ret_limit);

/* From now on descriptor_lift() moves above so many numbers. 0, as before the first call: none. */
void descriptors_reserve(uint64_t n);

/*
 * Takes a descriptor, or a negative error, which it passes on. The same above the reserve, closed
 * on exec; -EMFILE: there is no number left.
 */
int descriptor_lift(int fd);
