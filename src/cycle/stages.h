/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The stages of a round, in their order; collector.c calls them. Each is a file of its name, and
 * its part for processes a file beside it. A failure in one stage leaves the others their work.
 */

#include "cycle/round.h"
#include "metric/exporter_status.h"

struct collector;
struct account;
struct entry;
struct sample;

/*
 * Brings the sets of targets to the present: reads what has ended once more, and enters what is
 * new. 0 or -errno: then nothing has changed, and the next round looks at everything.
 */
int collector_discover(struct collector *collector, const struct round *round,
                       struct discovered *ret_discovered);

/* The part of collector_discover() for processes, which adds to what cgroups have changed. */
int collector_discover_processes(struct collector *collector, const struct round *round,
                                 struct discovered *discovered);

/*
 * Opens what is wanted and not open, for a bounded time. wants_open: what the last readings and
 * discovery say. Between two cycles it opens only what was born, and reads it for the first time.
 * 0 or -ENOMEM.
 */
int collector_open(struct collector *collector, const struct round *round, bool wants_open);

/* The part of collector_open() for processes. */
int collector_open_processes(struct collector *collector, const struct round *round);

/* Reads every counter and derives totals, rates and ratios of each target. */
struct readings collector_read_and_derive(struct collector *collector);

/* Reads one entry with counters, or one group of processes, and derives; adds to the readings. */
void collector_read_entry(struct collector *collector, struct entry *entry,
                          struct readings *readings);
void collector_read_group(struct collector *collector, struct entry *entry,
                          struct readings *readings);

/* Publishes a snapshot, and logs what has begun not to be counted. 0 or -ENOMEM. */
int collector_publish(struct collector *collector, const struct round *round);

/* The status with all that others than the stages count for it. */
void collector_status(const struct collector *collector, struct exporter_status *ret_status);

/*
 * The same round for a collector that is made while another one runs: it takes over what both
 * count, with open counters and totals, and what lingers. 0 or -errno: nothing was taken over.
 */
int collector_succeed(struct collector *collector, struct collector *predecessor);
