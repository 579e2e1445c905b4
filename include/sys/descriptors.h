/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The limit of open files. It limits the numbers of descriptors: no descriptor gets a number at or
 * above it. Descriptors that are held by the thousand (counters, directories of cgroups, pidfds)
 * are kept above a reserve of numbers. So connections and files find numbers below it, even if
 * somebody lowers the limit of the running process (prlimit(1)), which closes nothing.
 */

#include <stdint.h>

/* Raises the soft limit to the hard one, and gives the result. 0 or -errno. */
int descriptors_raise_limit(uint64_t *ret_limit);

/* The soft limit as it is now. 0 or -errno. */
int descriptors_read_limit(uint64_t *ret_limit);

/* From now on descriptor_lift() leaves numbers below n free. At first n is 0. */
void descriptors_reserve(uint64_t n);

/*
 * Moves a descriptor to a number above the reserve. Takes the descriptor, or a negative errno,
 * which it returns as it is. Returns the new descriptor, closed on exec; -EMFILE: no number is
 * left.
 */
int descriptor_lift(int fd);
