/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What --json says of a configuration. Each function returns a new value; NULL: no memory. */

#include "check/report.h"
#include "check/series.h"
#include "tool/json.h"

/*
 * Of a configuration that is valid: "groups" with their events, "problems" (notes and warnings,
 * with their places), "matches" (what rules take now), "mechanisms", "left_out" and "budget".
 */
json_t *check_result_to_json(const struct check_result *result);

/* The part "budget": null where no event takes a hardware counter. */
json_t *check_budget_to_json(const struct check_result *result);

/*
 * How many series there are: {targets: [{targets, rule, n, series_each}], own, series, limit} and
 * what they cost: {scrape_interval_seconds, samples_per_second, bytes_per_day}.
 */
json_t *check_series_to_json(const struct check_series *series,
                             const struct check_series_request *request);

/* The PMUs beyond the cores: an array of {pmu, events, instances, sockets, counters}. */
json_t *check_uncore_to_json(const struct check_result *result);

/* Of one that is not: {"file": ..., "valid": false, "error": {...}} with the place and the reason.
 */
json_t *check_failure_to_json(const char *path, int r, const struct config_error *error);
