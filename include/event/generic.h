/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The names that `perf list` has on every machine. */

/*
 * The one spelling of a generic event that has two: `branches` for
 * `branch-instructions`, `cycles` for `cpu-cycles`. Any other name is its own.
 * Takes a name without modifiers; the result is static, or the argument.
 */
const char *event_generic_canonical(const char *name);
