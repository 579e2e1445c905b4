/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * From event names to legal parts of metric names (DESIGN: names on /metrics):
 * lower case; every run of other characters than letters and digits becomes one
 * underscore, none at the ends; modifiers are spelled out (":u" is _user, ":uk"
 * _user_kernel). A name that would begin with a digit gets "event_" in front.
 *
 *     L1-dcache-load-misses     l1_dcache_load_misses
 *     INST_RETIRED:ANY_P:u      inst_retired_any_p_user
 */

#include "event/event.h"

/*
 * base: the event's name without modifiers. Returns a string that the caller
 * frees, or NULL if there is no memory.
 */
char *metric_name_from_event(const char *base, const struct event_code *modifiers);

/* Whether the text is what a rename may give: [a-z_][a-z0-9_]*, not ending in _total. */
bool metric_name_valid(const char *name);
