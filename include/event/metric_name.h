/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * From names of events to legal parts of names of metrics. Letters
 * become lower case. Every run of characters that are no letters or digits becomes one underscore;
 * there is none at the ends. Modifiers are spelled out (":u" becomes _user, ":uk" _user_kernel,
 * ":G" _guest,
 * ":H" _host, ":I" _not_idle; ":S" changes no count and adds nothing). A name that would begin with
 * a digit gets "event_" before it.
 *
 *     L1-dcache-load-misses     l1_dcache_load_misses
 *     INST_RETIRED:ANY_P:u      inst_retired_any_p_user
 */

#include "event/event.h"

/* base: the event's name without modifiers. The caller frees the result. NULL: no memory. */
char *metric_name_from_event(const char *base, const struct event_code *modifiers);

/* Whether the configuration may rename an event so: [a-z_][a-z0-9_]*, not ending in _total. */
bool metric_name_valid(const char *name);
