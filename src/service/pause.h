/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A pause of hardware events. It is measured on CLOCK_BOOTTIME: ten minutes are over after ten
 * minutes of the user's, also where the machine slept meanwhile.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "cycle/collector.h"

struct pause {
    uint64_t end_ns; /* The pause ends at this time of CLOCK_BOOTTIME; 0: there is no pause. */
};

/*
 * pause_begin() begins a pause, or gives the current pause another end. pause_end() ends the
 * current pause, and returns false if there is none. Both write the outcome as a line for people,
 * and log it.
 */
void pause_begin(struct pause *pause, struct collector *collector, uint64_t duration_ns,
                 struct text *outcome);
bool pause_end(struct pause *pause, struct collector *collector, struct text *outcome);

/* Ends a pause whose time is over; to be called before each cycle. */
void pause_check(struct pause *pause, struct collector *collector);
