/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A run of kind `schedule`, switch by switch, as `perf sched timehist` shows it: out of its CSV
 * (run/schedule_text.h).
 */

/* Prints a line for each switch. 0; -EINVAL: it is no such CSV; -ENOMEM. */
int timehist_show(const char *csv);
