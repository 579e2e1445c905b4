/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "resolve/resolution_budget.h"

/*
 * Prints what a configuration takes of this machine's PMU, what it may take, and what is left out
 * for that; nothing where it counts no event of a PMU. share: as resolution_decide() gave it.
 */
void check_print_budget(const struct resolution *resolution, const struct pmu_share *share);
