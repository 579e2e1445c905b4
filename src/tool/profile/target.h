/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Names of targets of profiles. */

#include <stdbool.h>

/* Whether a target is written as a run: "run:5". */
bool profile_target_is_run(const char *target);

/* Refuses (command_refuse()) what is no name of a target, in the service's own words. */
void profile_target_demand(const char *target);
