/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Generic events that some PMUs do not have, and what is nearest to them there. The kernel tells at
 * open whether a PMU has a generic event, so that it is resolve/ that takes what is found here.
 */

#include <stddef.h>

#define FALLBACK_MOST 3 /* alternatives of one event */

/*
 * The alternatives of a generic event on this core PMU, the nearest first, NULL behind the last.
 * One that begins with a slash is an event of the PMU itself ("/br_retired/"); others are names as
 * they are. NULL: there is none. name: without modifiers. Static.
 */
const char *const *fallback_names(const char *pmu, const char *name);
