/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Counters of cgroups have to show that they move. */

#include "cycle/ledger.h"

struct collector;

struct movement {
    unsigned looks_in_doubt; /* in how many more cycles all counters have to show that they move */
    size_t next_look;        /* index in the ledger at which the next looks begin */
    bool stands_still;       /* some counters do not move; false again once the owner has asked */
};

/* Notes of an entry whether its reading has moved. */
void movement_note(struct entry *entry, const struct sample *sample);

/* After a round of readings: looks at some entries, or, where there is a doubt, at all of them. */
void collector_look_for_movement(struct collector *collector);
