/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Formulas of ratios: + - * /, parentheses, numbers, and names of events. Names
 * hold `-`, `:` and `/` themselves, so the reader asks which names exist: at a
 * letter it takes the longest name of the group that stands there.
 *
 *     1000 * cache-misses / instructions
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct formula;

/* What is wrong with a formula, and where: a 0-based offset into its text. */
struct formula_error {
    size_t offset;
    char message[160];
    const char *nearest; /* an unknown event: the one of `names` that is suggested, or NULL */
};

/*
 * names: the events it may use; a name's index is what formula_value() is given.
 * 0; -EINVAL with *ret_error filled; -ENOMEM. Nesting is limited to 32.
 */
int formula_parse(const char *text, const char *const *names, size_t n_names,
                  struct formula **ret_formula, struct formula_error *ret_error);
struct formula *formula_free(struct formula *formula);
DEFINE_AUTO(formula, struct formula *, formula_free)

/* Whether the formula uses the event with that index. */
bool formula_uses(const struct formula *formula, size_t name);

/*
 * The value for one reading of every event. False, and the output untouched,
 * where it does not exist: a division by zero, or a result that is not finite.
 */
bool formula_value(const struct formula *formula, const double *values, double *ret_value);
