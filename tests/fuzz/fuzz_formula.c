/* SPDX-License-Identifier: Apache-2.0 */

/* Whatever the text: a formula with finite values, or an error that points into the text. */

#include <math.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "metric/formula.h"

static const char *const names[] = {
    "cycles", "cycles:u", "cache", "misses", "cache-misses", "cpu/event=0xc0/", "msr/tsc/",
};

#define N_NAMES ARRAY_SIZE(names)

/* Counts as they come, and those that make trouble. */
static const double readings[][N_NAMES] = {
    {1, 2, 3, 4, 5, 6, 7},
    {0},
    {1e308, 1e-308, 1.8446744073709552e19, 0, 1, 5e-324, 3},
};

static void evaluate(const struct formula *formula)
{
    for (size_t i = 0; i < ARRAY_SIZE(readings); i++) {
        double value = 0;

        if (formula_value(formula, readings[i], &value))
            FUZZ_CHECK(isfinite(value));
    }
    for (size_t i = 0; i <= N_NAMES; i++)
        (void)formula_uses(formula, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(formula) struct formula *formula = NULL;
    AUTO_FREE char *text = strndup((const char *)data, size);
    struct formula_error error = {.offset = SIZE_MAX};
    int r;

    FUZZ_CHECK(text);
    r = formula_parse(text, names, N_NAMES, &formula, &error);
    if (r == 0) {
        FUZZ_CHECK(formula != NULL && error.offset == SIZE_MAX);
        evaluate(formula);
    } else {
        FUZZ_CHECK(formula == NULL && error.offset <= strlen(text));
        FUZZ_CHECK(strnlen(error.message, sizeof(error.message)) < sizeof(error.message));
    }
    return 0;
}
