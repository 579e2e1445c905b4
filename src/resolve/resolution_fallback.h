/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "resolve/resolution_decide.h"

/*
 * Whether a PMU has a generic event, the kernel tells at open. Each event that it refuses so, and
 * that has a fallback which it takes, becomes its fallback (event_take_fallback()). An event is
 * asked about on a CPU, for whatever runs there, since the kernel refuses events in cgroups
 * for other reasons too. Nothing stays open. 0 or -ENOMEM.
 */
int resolution_fall_back(struct resolution *resolution, const struct resolution_machine *machine);
