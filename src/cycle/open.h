/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the stage of opening keeps: who is next, and room for a list. */

#include "count/counter_set.h"

struct opener {
    struct counter_set **sets; /* scratch: what is to be opened in this round */
    size_t n_sets;
    size_t next_admission; /* index in the ledger at which the next tries to give room begin */
};
