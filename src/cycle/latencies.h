/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The latencies of targets: who gets a meter, and how meters go over to a successor. They are read
 * with the counters of their targets.
 */

#include "base/clock.h"
#include "cycle/ledger.h"
#include "cycle/round.h"
#include "metric/exporter_status.h"

struct collector;

/* How long it takes until a meter that was refused is tried again: there may be room by then. */
#define LATENCIES_RETRY_NS (60 * NS_PER_SECOND)

/* Whether latencies are wanted of an entry, and can be counted here. */
bool collector_wants_latencies(const struct collector *collector, const struct entry *entry);

/*
 * Has the mechanism count what the configuration asks for beside the scheduler's latencies, and go
 * on with what a predecessor, if any, has asked it for. What cannot be counted is logged. 0 or
 * -ENOMEM.
 */
int collector_observe(const struct collector *collector, const struct collector *predecessor);

/*
 * It is decided which of a collector and its successor remains: ends what only the other one has
 * asked for by collector_observe(). ended: NULL: there is none.
 */
void collector_observe_alone(const struct collector *remaining, const struct collector *ended);

/* Gives meters to the machine and to cgroups that lack one. */
void collector_open_latencies(struct collector *collector, const struct round *round);

/* Takes over the meter of a predecessor's entry of the same target, if it is of our mechanism. */
void collector_adopt_latencies(const struct collector *collector, struct entry *entry,
                               struct entry *from);

/* Has the meters of a target of the predecessor end, and those begin that were made beside them. */
void collector_hand_over_latencies(struct entry *entry, struct entry *from);

/* Fills in what the status tells of latencies. */
void collector_status_of_latencies(const struct collector *collector,
                                   struct exporter_status *status);
