/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the stage of opening keeps: who is next, and room for a list. */

#include <stdbool.h>

#include "count/counter_set.h"
#include "cycle/turns.h"

struct opener {
    struct turns cgroups, processes; /* what is to be opened in this round, in its order */
    struct counter_set **sets;       /* scratch: the counters of those cgroups, in that order */
    bool has_unopened;     /* what was born since the last cycle was entered and not opened */
    size_t of_runs;        /* descriptors that runs have open */
    size_t next_admission; /* index in the ledger at which the next tries to give room begin */
};

struct collector;

/* What the targets themselves, directories and pidfds, take of the descriptors. */
size_t collector_target_descriptors(const struct collector *collector);
