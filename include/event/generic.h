/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Generic events: those that `perf list` has on every machine, by the same names. */

#include <stdbool.h>

#include "event/event.h"

/*
 * The canonical spelling of a generic event that has two: `branches` for `branch-instructions`,
 * `cycles` for `cpu-cycles`. Any other name is returned as it is. name: without modifiers. The
 * result is static, or the argument.
 */
const char *event_generic_canonical(const char *name);

/* Whether this code is task-clock or cpu-clock, which count nanoseconds on a CPU. */
bool event_generic_is_clock(const struct event_code *code);

/*
 * Whether a name is that of one of these two, in any spelling that a source of events takes:
 * "task-clock", libpfm4's "perf::TASK-CLOCK" and "PERF_COUNT_SW_TASK_CLOCK". name: without
 * modifiers.
 */
bool event_generic_names_clock(const char *name);
