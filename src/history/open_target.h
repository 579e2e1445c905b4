/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One target of the recorder, with its rows. */

#include "history/recorder.h"

/* About a minute at an interval of a second. */
#define OPEN_ROWS_OF_CHUNK 60

struct open_target *open_target_free(struct open_target *target);

/* The target of that key, which is made where there is none. NULL: there is no memory. */
struct open_target *open_target_find_or_make(struct recorder *recorder, const char *key,
                                             const char *kind, const struct text *labels);

/*
 * Appends a row, unless it tells nothing. Where it is that of another birth, or of other totals,
 * another target takes the place of this one, whose rows wait to be stored. start: when its birth
 * was; 0: not known. 0 or -ENOMEM.
 */
int open_target_append(struct recorder *recorder, struct open_target **place, struct layout *layout,
                       uint64_t start, const struct snapshot *snapshot, const uint64_t *totals);

/*
 * Begins rows of another layout, as another target in the place of this one if that has any. The
 * first is the base of what comes, and was read at that time; NULL: there is none. 0 or -ENOMEM.
 */
int open_target_begin(struct recorder *recorder, struct open_target **place, struct layout *layout,
                      uint64_t start, const struct row_time *time, const uint64_t *base);

/* Whether it has rows that are not stored; whether they are to be stored now. */
bool open_target_has_news(const struct open_target *target);
bool open_target_is_due(const struct open_target *target);
