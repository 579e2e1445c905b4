/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the historian tells of itself. Single numbers are uint64_t, because expose/own_families.c
 * writes them from a table of offsets.
 */

#include <stdint.h>

#define HISTORY_TEXT_BYTES 256

struct history_status {
    uint64_t bytes;                  /* that the history takes now, on disk or in memory */
    uint64_t limit_bytes;            /* the most that it may take */
    uint64_t targets;                /* that are known, also from the past */
    uint64_t samples;                /* numbers that were recorded since the start */
    uint64_t dropped;                /* snapshots that were not recorded, since the start */
    uint64_t write_errors;           /* since the start */
    uint64_t set_aside;              /* databases that were renamed since they could not be used */
    uint64_t damaged;                /* pieces of history that could not be read, since the start */
    uint64_t oldest_realtime_ns;     /* NUMBER_ABSENT_COUNT: there is no history yet */
    uint64_t in_memory;              /* 1: it is lost when the exporter ends; `reason` says why */
    char file[HISTORY_TEXT_BYTES];   /* the database; empty: there is none */
    char reason[HISTORY_TEXT_BYTES]; /* why it is in memory; empty: it is not */
    char set_aside_reason[HISTORY_TEXT_BYTES]; /* of the last database that was set aside */
};
