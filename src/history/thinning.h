/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How rows become fewer as they grow older. */

#include "history/chunk.h"

/*
 * Keeps the last row of each step of so many milliseconds, by the time of day, the base, and the
 * first row where there is none; always the last of all. What was counted between the rows that are
 * kept is the same as before. 0 or -ENOMEM.
 */
int thinning_thin(const struct chunk_rows *rows, uint64_t step_ms, struct chunk_rows *ret_rows);

/*
 * Puts the rows of two chunks behind each other, if the base of the second is the last row of the
 * first: 1. 0: it is not; -ENOMEM. `rows` grows.
 */
int thinning_join(struct chunk_rows *rows, const struct chunk_rows *next);
