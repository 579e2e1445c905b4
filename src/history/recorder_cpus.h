/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Times on CPUs are rows of a target of their own, whose totals are those of each CPU: so they are
 * stored, thinned out and asked for as all rows are, and are no part of the rows of each second.
 */

#include "history/recorder.h"

/* The kind of these targets; their keys are it, a colon, and the key of whose times they are. */
#define CPUS_KIND "cpus"

/* Adds the times on CPUs of a snapshot, which has n_rows targets. 0 or -ENOMEM. */
int recorder_add_cpus(struct recorder *recorder, const struct snapshot *snapshot, size_t n_rows);
