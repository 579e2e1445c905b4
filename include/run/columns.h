/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The columns of a recording: of an event that is counted, and of ratios. */

#include "count/event_group.h"
#include "run/ratios.h"
#include "run/recording.h"

/*
 * Adds an event, and its column if it is counted. why: what people are told of one that is not;
 * NULL: nothing more than the reason. ret_column: SIZE_MAX where it has none. 0 or -ENOMEM.
 */
int run_columns_add_event(struct recording *recording, const struct group_member *member,
                          const char *why, size_t *ret_column);

/* Adds a column for each ratio, in their order. 0 or -ENOMEM. */
int run_columns_add_ratios(struct recording *recording, const struct run_ratios *ratios);
