/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How a plan is put together: shared by its columns of events and of ratios. */

#include "base/text.h"
#include "metric/plan.h"

/* Adds a column whose name and help the texts hold; empties both. The group's name is copied. */
int plan_add_column(struct plan *plan, struct column column, struct text *name, struct text *help);

/* What a plan_spec with cpu_time has. 0 or -ENOMEM. */
int plan_add_cpu_time(struct plan *plan, const struct plan_spec *spec);

int plan_add_ratios(struct plan *plan, const struct plan_spec *spec,
                    const struct event_groups *groups);
void plan_free_ratios(struct plan *plan);
