/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How the collector keeps within its share of the PMU. */

#include "cycle/collector_parts.h"

/*
 * Gives out the counters to the classes, after the kernel was asked what can be
 * counted and before there are entries. 0 or -errno.
 */
int collector_divide_counters(struct collector *collector, const struct collector *predecessor);

/* Whether more of the PMU is free than when something was left out, and nothing is ours. */
bool collector_may_count_more(struct collector *collector);

/*
 * Decides which of the nested cgroups have counters of the PMU, where some came or
 * went: newcomers for which a chain has none left are counted without.
 */
void collector_share_counters(struct collector *collector);

void collector_budget_status(const struct collector *collector, struct exporter_status *status);
