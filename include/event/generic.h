/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The names that `perf list` has on every machine. */

#include <stdbool.h>

#include "event/event.h"

/*
 * The one spelling of a generic event that has two: `branches` for
 * `branch-instructions`, `cycles` for `cpu-cycles`. Any other name is its own.
 * Takes a name without modifiers; the result is static, or the argument.
 */
const char *event_generic_canonical(const char *name);

/* The events whose count is a time on a CPU, in nanoseconds: by code … */
bool event_generic_is_clock(const struct event_code *code);

/*
 * … and by name, without modifiers, in every spelling that a source of events
 * takes: "task-clock", libpfm4's "perf::TASK-CLOCK" and "PERF_COUNT_SW_TASK_CLOCK".
 */
bool event_generic_names_clock(const char *name);
