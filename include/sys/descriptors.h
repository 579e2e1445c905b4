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

/*
 * From now on descriptor_lift() leaves numbers below n free. At first n is 0. Of these numbers so
 * many as `wanted` are to be free for what is opened for a while: what the process itself holds
 * all the time may have numbers above n, where it was opened before the limit was lowered. Then
 * descriptor_lift() may use numbers below.
 */
void descriptors_reserve(uint64_t n, uint64_t wanted);

/*
 * Moves a descriptor to a number above the reserve. Takes the descriptor, or a negative errno,
 * which it returns as it is. Returns the new descriptor, closed on exec. Where there is no number
 * above, it stays if more numbers are free below than are wanted there; else -EMFILE.
 */
int descriptor_lift(int fd);
