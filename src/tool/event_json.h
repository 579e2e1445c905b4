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
