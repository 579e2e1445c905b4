/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is printed of how cgroups and processes are counted. */

#include "resolve/mechanism_choice.h"
#include "resolve/resolution_budget.h"

/*
 * Prints by which mechanism cgroups and processes are counted, why, and what that adds to a switch
 * between two tasks; nothing where neither is wanted. share: as resolution_decide() gave it.
 */
void check_print_counting(const char *path, const struct resolution *resolution,
                          const struct mechanism_choice *choice, const struct pmu_share *share);
