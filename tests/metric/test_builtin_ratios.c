/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/generic.h"
#include "event/metric_name.h"
#include "metric/builtin_ratios.h"
#include "metric/formula.h"

/* The events that built-in ratios may use, with a count for each. */
static const char *const names[] = {
    "instructions",           "cycles",
    "branch-misses",          "branches",
    "cache-misses",           "cache-references",
    "LLC-load-misses",        "dTLB-load-misses",
    "L1-dcache-load-misses",  "stalled-cycles-frontend",
    "stalled-cycles-backend",
};
static const double values[] = {2000, 1000, 10, 400, 30, 60, 4, 6, 50, 250, 500};

static const struct {
    const char *name;
    double value;
} expected[] = {
    {"instructions_per_cycle", 2},
    {"branch_miss_ratio", 0.025},
    {"cache_miss_ratio", 0.5},
    {"branch_misses_per_kilo_instruction", 5},
    {"cache_misses_per_kilo_instruction", 15},
    {"l1d_misses_per_kilo_instruction", 25},
    {"llc_misses_per_kilo_instruction", 2},
    {"dtlb_misses_per_kilo_instruction", 3},
    {"stalled_cycles_frontend_ratio", 0.25},
    {"stalled_cycles_backend_ratio", 0.5},
};

static double value_of(const char *formula_text)
{
    AUTO(formula) struct formula *formula = NULL;
    struct formula_error error;
    double value = 0;

    if (formula_parse(formula_text, names, ARRAY_SIZE(names), &formula, &error) != 0)
        fail_msg("\"%s\": at %zu: %s", formula_text, error.offset, error.message);
    assert_true(formula_value(formula, values, &value));
    return value;
}

static void ratios__are_these_with_these_values(void **state)
{
    (void)state;
    assert_int_equal(n_builtin_ratios, ARRAY_SIZE(expected));
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        assert_string_equal(builtin_ratios[i].name, expected[i].name);
        assert_true(value_of(builtin_ratios[i].formula) == expected[i].value);
    }
}

static void ratios__use_canonical_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        assert_string_equal(event_generic_canonical(names[i]), names[i]);
}

static void ratios__have_legal_names_and_help_without_a_full_stop(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_builtin_ratios; i++) {
        const char *help = builtin_ratios[i].help;

        assert_true(metric_name_valid(builtin_ratios[i].name));
        assert_true(strlen(help) > 0);
        assert_int_not_equal(help[strlen(help) - 1], '.');
        assert_null(strchr(help, '\n'));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratios__are_these_with_these_values),
        cmocka_unit_test(ratios__use_canonical_names),
        cmocka_unit_test(ratios__have_legal_names_and_help_without_a_full_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
