/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* At most so many lines in any second, whatever the callers do. Not thread-safe: log.c locks. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_LINES_PER_SECOND 10

/* All zero is a good start. */
struct log_throttle {
    uint64_t written_ns[LOG_LINES_PER_SECOND]; /* when each of the last lines was; 0: never */
    size_t next;                               /* the place of the oldest */
    uint64_t held_back;                        /* lines, since that was told last */
};

/*
 * Whether a line may be written now; if so, it is taken as written. The last
 * place of each second is kept for telling what was held back. Time is that of
 * CLOCK_MONOTONIC.
 */
bool log_throttle_admit(struct log_throttle *throttle, uint64_t now_ns);

/* How many lines were held back, if that is to be told now (it is taken as told); else 0. */
uint64_t log_throttle_tell(struct log_throttle *throttle, uint64_t now_ns);
