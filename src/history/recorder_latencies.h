/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Distributions of latency are rows of a target of their own, as times on CPUs are
 * (recorder_cpus.h): one in ten seconds, and none where nothing was observed. So they cost little,
 * and those who ask for other numbers do not read them.
 */

#include "history/recorder_by_key.h"
#include "history/recorder_cpus.h"

/* The kind of these targets; their keys are it, a colon, and the key of whose latencies they are.
 */
#define LATENCIES_KIND "latencies"

/* Kinds whose rows stand beside those of a target: they are no targets themselves. In SQL. */
#define BESIDE_KINDS "('" CPUS_KIND "', '" LATENCIES_KIND "', '" BY_KEY_KIND "')"

/* Adds the latencies of a snapshot, and what it has by key, if it is time for them. 0 or -ENOMEM.
 */
int recorder_add_latencies(struct recorder *recorder, const struct snapshot *snapshot);
