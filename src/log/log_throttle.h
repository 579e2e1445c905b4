/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Bounds how many lines are written in any second, whatever the callers do. Times are those of
 * CLOCK_MONOTONIC. Not thread-safe: log.c has the lock.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_LINES_PER_SECOND 10

/* Begins as all zero. */
struct log_throttle {
    uint64_t
        written_ns[LOG_LINES_PER_SECOND]; /* when each of the last lines was written; 0: never */
    size_t next;                          /* the place of the oldest of those times */
    uint64_t held_back; /* lines that were held back since their number was last taken */
};

/*
 * Whether a line may be written now. If so it counts as written, else as held back. One line of
 * each second is reserved for saying how many were held back.
 */
bool log_throttle_admit(struct log_throttle *throttle, uint64_t now_ns);

/*
 * Takes the number of lines that were held back, for the caller to write it: that line counts as
 * written, and the number begins again at 0. Returns 0 if none was held back, or if no line may be
 * written now.
 */
uint64_t log_throttle_take_held_back(struct log_throttle *throttle, uint64_t now_ns);
