/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a build with sanitizers needs beyond the others: walls_additions_sanitized.c, or else
 * walls_additions.c.
 */

#include <stdbool.h>
#include <stddef.h>

extern const int wall_additions[]; /* system calls */
extern const size_t n_wall_additions;

/* Whether addresses can be limited: sanitizers take terabytes of them for themselves. */
extern const bool walls_limit_addresses;

/* Whether the process keeps its standard error, to which a sanitizer writes what it has found. */
extern const bool walls_keep_errors;
