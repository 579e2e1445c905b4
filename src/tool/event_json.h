/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What --json says of events. Each function returns a new object; NULL: no memory. */

#include "count/event_trial.h"
#include "event/event.h"
#include "tool/json.h"

/*
 * {"counted": true, "scope": "process"}; where it cannot be counted, "absence" with the word of
 * /metrics and "advice" in the place of the scope.
 */
json_t *event_trial_to_json(const struct event_trial *trial);

/*
 * An event that has a code: its name, kind, PMU, description, unit and scale; the fields of struct
 * perf_event_attr, of which config, config1 and config2 are text in hexadecimal, since JSON's
 * numbers are no integers of 64 bits. perf: as perf_line_of() gives it. metric: as
 * event_metric_pattern() does.
 */
json_t *event_to_json(const struct event *event, const char *perf, const char *metric);

/* An event without a code: {"name": ..., "absence": "unknown_event", "reason": why}. */
json_t *event_absent_to_json(const struct event *event, const char *why);

/*
 * The name of the metric of an event's total, whatever the targets: "pmu_*_cycles_total". The
 * caller frees it. 0 or -ENOMEM.
 */
int event_metric_pattern(const struct event *event, char **ret_pattern);

/* The name of a type that is part of the kernel's ABI: "PERF_TYPE_HARDWARE". NULL: no such type. */
const char *event_type_name(uint32_t type);
