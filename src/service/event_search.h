/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Searches the events that have names on this machine, for /api/v1/events. Listing them takes tens
 * of milliseconds, and trying whether one can be counted opens it; both are done by a thread of its
 * own. It keeps the list for half a minute, and gives it up
 * when nobody has searched for so long.
 */

#include "base/cleanup.h"
#include "web/deferred.h"

/* The most searches that may wait. */
#define EVENT_SEARCHES_MAX 16

/* The most events of one answer. */
#define EVENT_SEARCH_LIMIT 1000

struct event_search;

/* sysfs: where it is mounted, borrowed. NULL: no memory, or no thread. */
struct event_search *event_search_new(const char *sysfs);

/* Refuses what waits, and waits for the search that is under way. Takes NULL. */
struct event_search *event_search_free(struct event_search *search);
DEFINE_AUTO(event_search, struct event_search *, event_search_free)

/*
 * Has a search done: events whose name, alias or description has each of the words, parted by
 * spaces, and the first `limit` of them; the answer is JSON (src/web/api/openapi.json). Returns 0,
 * and the answer is on its way; -EBUSY: too many searches wait; -ENOMEM.
 */
int event_search_ask(struct event_search *search, const char *words, size_t limit,
                     struct deferred *answer);
