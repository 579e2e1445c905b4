/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Groups that the kernel accepts and never runs, as far as a counter set is concerned. */

#include "count/counter_cells.h"

/*
 * After a round of readings: closes the groups that have waited for the PMU in vain for too long,
 * lets those be opened again whose time has come, and marks the others in the sample (`starved`).
 */
void counter_set_judge_starvation(struct counter_set *set, uint64_t now_ns, struct sample *sample);

/* Lets a group of a new set wait as that of another set does. */
void counter_set_adopt_starvation(struct counter_set *set, size_t group,
                                  const struct counter_set *from, size_t from_group);
