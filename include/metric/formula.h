/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Formulas of ratios: + - * /, parentheses, numbers, and names of events. Names may
 * contain `-`, `:` and `/` themselves, so the parser must know which names exist: where
 * a name can begin, it takes the longest name that stands there.
 *
 *     1000 * cache-misses / instructions
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct formula;

/* What is wrong with a formula, and where. */
struct formula_error {
    size_t offset; /* in bytes from the beginning of the text */
    char message[160];
    const char *nearest; /* suggested in place of an unknown event; one of `names`, or NULL */
};

/*
 * Parses a formula. `names` are the events that it may use; formula_value() takes their values
 * in the same order. Parentheses nest 32 deep at most, so that no formula exhausts the stack.
 * Returns 0; -EINVAL, with *ret_error set; -ENOMEM.
 */
int formula_parse(const char *text, const char *const *names, size_t n_names,
                  struct formula **ret_formula, struct formula_error *ret_error);
struct formula *formula_free(struct formula *formula);
DEFINE_AUTO(formula, struct formula *, formula_free)

/* Whether the formula uses the event with this index in `names`. */
bool formula_uses(const struct formula *formula, size_t name);

/*
 * Computes the value; values[i] belongs to names[i]. Returns false, with the output untouched,
 * if there is no value: a division by zero, or a result that is not finite.
 */
bool formula_value(const struct formula *formula, const double *values, double *ret_value);
