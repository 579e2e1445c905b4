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
    uint64_t end_ns; /* CLOCK_BOOTTIME; 0: there is no pause */
};

/*
 * The first begins a pause, or gives the one that stands another end. The second ends the one that
 * stands, and returns false where there is none. What came of it is written as a line for people,
 * and logged.
 */
void pause_begin(struct pause *pause, struct collector *collector, uint64_t duration_ns,
                 struct text *outcome);
bool pause_end(struct pause *pause, struct collector *collector, struct text *outcome);

/* Ends a pause whose time is over; to be called before each cycle. */
void pause_check(struct pause *pause, struct collector *collector);
