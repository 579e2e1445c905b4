/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What is counted by key is rows of a target of its own for each kind, as distributions of latency
 * are (recorder_latencies.h), and at the same times. Of each kind a target has the lines that have
 * counted most; all that the others have counted is added up to one.
 */

#include "history/recorder.h"

/* The kind of these targets; their keys are it, a colon, the word of the breakdown, a colon, and
 * the key of whose they are. */
#define BY_KEY_KIND "by_key"

/* So many lines are kept of a kind, and the one of all others. */
#define BY_KEY_LINES 20

/* Appends the key under which a breakdown of a target is kept. */
void by_key_append_key(struct text *text, enum breakdown_kind kind, const char *target);

/*
 * Whether something of a row is counted now: a target of which no group is counted any more has
 * nothing to add.
 */
bool recorder_counts(const struct plan_binding *plan, const union number *numbers);

/* Adds what a snapshot has by key. 0 or -ENOMEM. */
int recorder_add_by_key(struct recorder *recorder, const struct snapshot *snapshot);
