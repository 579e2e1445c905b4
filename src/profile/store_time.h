/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What becomes of minutes as time goes on: open, closed, part of an hour, gone. */

#include "profile/store_parts.h"

#define STORE_MINUTES_KEPT 60
#define STORE_HOURS_KEPT   (8 * 24)

static inline uint32_t store_minute_of(uint64_t time_ns)
{
    return (uint32_t)(time_ns / MINUTE_NS);
}

/* Closes the minutes before this one. Where there is no memory they stay open. */
void store_close_minutes(struct profile_store *store, uint32_t before);

/* Before this minute, which begins an hour, nothing is kept. */
uint32_t store_oldest(const struct profile_store *store);

/* Makes hours of minutes that are old enough, and drops hours that are too old. */
void store_age(struct profile_store *store);

/* Drops slices of those who have the most of them, the oldest first, if there are too many. */
void store_bound_slices(struct profile_store *store);
