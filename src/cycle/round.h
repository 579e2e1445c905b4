/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the stages of one round hand on to each other. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/scope.h"

/*
 * A round is a cycle, the first stages of it that a successor goes through beside its predecessor,
 * or what is done between two cycles for those that were just born.
 */
struct round {
    uint64_t now_ns;     /* CLOCK_MONOTONIC when the round began */
    bool between_cycles; /* only what was born is entered, opened and begun */
    bool only_enters;    /* nothing is opened now: there is no time for it */
};

/* What discovery has changed; opening needs to know. */
struct discovered {
    size_t n_entered;     /* targets that may have something to open */
    size_t n_given_back;  /* births for which there was no memory; the next round has them again */
    bool cgroups_changed; /* some came or went: others may have counters of the PMU now */
};

/* What a round of readings came to. */
struct readings {
    uint64_t at_ns;  /* CLOCK_MONOTONIC when it began */
    bool wants_open; /* something ought to be open and is not: the next round tries to open it */
    uint64_t n_counted[SCOPE_KIND_COUNT_]; /* targets that were counted as a whole */
};
