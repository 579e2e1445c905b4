/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metric/formula.h"

static const char *const names[] = {
    "cycles", "instructions", "cache-misses", "cache", "misses", "cpu/event=0xc0/", "cycles:u",
};
static const double values[] = {2, 8, 3, 100, 7, 11, 1};

#define N_NAMES (sizeof(names) / sizeof(names[0]))

static struct formula *parsed(const char *text)
{
    struct formula_error error = {.message = "untouched"};
    struct formula *formula = NULL;
    int r = formula_parse(text, names, N_NAMES, &formula, &error);

    if (r != 0)
        fail_msg("\"%s\": %d at %zu: %s", text, r, error.offset, error.message);
    assert_string_equal(error.message, "untouched");
    return formula;
}

static void check_value(const char *text, double expected)
{
    AUTO(formula) struct formula *formula = parsed(text);
    double value = 12345;

    assert_true(formula_value(formula, values, &value));
    if (value != expected)
        fail_msg("\"%s\" is %.17g", text, value);
}

static void check_no_value(const char *text)
{
    AUTO(formula) struct formula *formula = parsed(text);
    double value = 12345;

    assert_false(formula_value(formula, values, &value));
    assert_true(value == 12345);
}

/* Checks that a formula is refused at this offset; `part` must be in the message. */
static void check_error(const char *text, size_t offset, const char *part)
{
    struct formula_error error = {.offset = 777};
    struct formula *formula = NULL;
    int r = formula_parse(text, names, N_NAMES, &formula, &error);

    if (r != -EINVAL || formula)
        fail_msg("\"%s\" is taken", text);
    if (error.offset != offset || !strstr(error.message, part))
        fail_msg("\"%s\": at %zu: %s", text, error.offset, error.message);
}

static void value__follows_the_rules_of_arithmetic(void **state)
{
    (void)state;
    check_value("1000 * cache-misses / instructions", 375);
    check_value("instructions / cycles", 4);
    check_value("1 + 2 * 3", 7);
    check_value("(1 + 2) * 3", 9);
    check_value("10 - 4 - 3", 3);
    check_value("100 / 10 / 5", 2);
    check_value("100 / (10 / 5)", 50);
    check_value("2 * 3 + 4 * 5 - 6 / 3", 24);
    check_value("(((((7)))))", 7);
    check_value("cycles - instructions", -6);
}

static void value__does_not_mind_white_space(void **state)
{
    (void)state;
    check_value("1+2", 3);
    check_value(" \t1\n +\r2 ", 3);
    check_value("( cycles )", 2);
}

static void number__has_these_forms(void **state)
{
    (void)state;
    check_value("0", 0);
    check_value("007", 7);
    check_value("0.5", 0.5);
    check_value("1e6", 1e6);
    check_value("1.5E+3", 1500);
    check_value("25e-2", 0.25);
    check_value("1e6-1", 999999);
    check_value("1e-400", 0);
}

static void number__out_of_form_is_refused(void **state)
{
    (void)state;
    check_error("1.", 0, "not a number");
    check_error("1 + .5", 4, "expected an event");
    check_error("1e", 0, "not a number");
    check_error("1e+", 0, "not a number");
    check_error("1.2.3", 0, "not a number");
    check_error("2 * 0x10", 4, "not a number");
    check_error("1_000", 0, "not a number");
    check_error("1,5", 0, "not a number");
    check_error("3cycles", 0, "not a number");
    check_error("1e999", 0, "too large");
    check_error("-1", 0, "expected an event");
    check_error("2 * +1", 4, "expected an event");
}

static void name__is_the_longest_that_stands_there(void **state)
{
    (void)state;
    check_value("cache-misses", 3);
    check_value("cache - misses", 93);
    check_value("cache -misses", 93);
    check_value("cache- misses", 93);
    check_value("cycles-instructions", -6);
    check_value("cpu/event=0xc0/", 11);
    check_value("cpu/event=0xc0//cycles", 5.5);
    check_value("instructions/cycles", 4);
    check_value("cycles:u+cycles", 3);
}

static void name__does_not_end_within_a_word(void **state)
{
    (void)state;
    check_error("cyclesx", 0, "no event \"cyclesx\"");
    check_error("cycles:k", 0, "no event \"cycles:k\"");
    check_error("cycles2", 0, "no event \"cycles2\"");
    check_error("cycles.u", 0, "no event \"cycles.u\"");
    check_error("cache-missesx", 6, "no event \"missesx\""); /* cache, minus, … */
}

static void name__that_is_unknown_brings_the_nearest(void **state)
{
    (void)state;
    check_error("cycls / instructions", 0, "did you mean \"cycles\"?");
    check_error("1000 * cach-misses / instructions", 7, "did you mean \"cache-misses\"?");
    check_error("cycles / instrucions", 9,
                "no event \"instrucions\" in any group, did you mean "
                "\"instructions\"?");
    check_error("cycls-instructions", 0,
                "no event \"cycls\" in any group, did you mean \"cycles\"?");
    check_error("cycls/2", 0, "did you mean \"cycles\"?");
    check_error("page-faults", 0, "no event \"page-faults\" in any group");
}

static void error__has_the_nearest_name_as_it_was_given(void **state)
{
    static const char *const given[] = {"instructions", "page-fault"};
    struct formula_error error = {.nearest = "untouched"};
    struct formula *formula = NULL;

    (void)state;
    assert_int_equal(formula_parse("page-faults / 2", given, 2, &formula, &error), -EINVAL);
    assert_ptr_equal(error.nearest, given[1]);
    assert_int_equal(formula_parse("xyzzy / 2", given, 2, &formula, &error), -EINVAL);
    assert_null(error.nearest);
    assert_int_equal(formula_parse("1 / (2", given, 2, &formula, &error), -EINVAL);
    assert_null(error.nearest);
}

static void name__that_is_long_is_cut_in_the_message(void **state)
{
    char text[1001];

    (void)state;
    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    check_error(text, 0, "aaaa\" in any group");
}

static void name__of_a_group_without_events_is_unknown(void **state)
{
    struct formula_error error;
    struct formula *formula = NULL;

    (void)state;
    assert_int_equal(formula_parse("cycles", NULL, 0, &formula, &error), -EINVAL);
    assert_int_equal(error.offset, 0);
}

static void parse__refuses_nothing(void **state)
{
    (void)state;
    check_error("", 0, "empty");
    check_error(" \t\n", 0, "empty");
    check_error("()", 1, "expected an event");
}

static void parse__refuses_what_is_left_over(void **state)
{
    (void)state;
    check_error("1 2", 2, "expected an operator");
    check_error("cycles instructions", 7, "expected an operator");
    check_error("cycles (1)", 7, "expected an operator");
    check_error("(1 2)", 3, "expected an operator");
    check_error("1 = 2", 2, "expected an operator");
    check_error("1 ^ 2", 2, "expected an operator");
    check_error("1 \xff", 2, "expected an operator");
    check_error("1 +", 3, "expected an event");
    check_error("1 + * 2", 4, "expected an event");
    check_error("\xc3\xa4", 0, "expected an event");
    check_error("$x", 0, "expected an event");
}

static void parse__refuses_unbalanced_parentheses(void **state)
{
    (void)state;
    check_error("(1", 0, "never closed");
    check_error("1 + ((2)", 4, "never closed");
    check_error("1)", 1, "nothing was opened");
    check_error("(1))", 3, "nothing was opened");
    check_error(")", 0, "expected an event");
    check_error("1) + (2", 1, "nothing was opened");
}

static void repeat(char *text, char c, size_t n)
{
    size_t length = strlen(text);

    memset(text + length, c, n);
    text[length + n] = '\0';
}

static void parse__takes_32_levels_and_no_more(void **state)
{
    char text[256] = "";

    (void)state;
    repeat(text, '(', 32);
    strcat(text, "7");
    repeat(text, ')', 32);
    check_value(text, 7);
    text[0] = '\0';
    repeat(text, '(', 33);
    strcat(text, "7");
    repeat(text, ')', 33);
    check_error(text, 32, "more than 32");
    text[0] = '\0';
    for (int i = 0; i < 40; i++)
        strcat(text, "(1)+");
    strcat(text, "1");
    check_value(text, 41); /* beside each other they do not nest */
}

/* The evaluation needs two operands on its stack for each level. */
static void value__of_the_deepest_formula_fits_the_stack(void **state)
{
    char text[256] = "";

    (void)state;
    for (int i = 0; i < 32; i++)
        strcat(text, "1+1*(");
    strcat(text, "1+1*1");
    repeat(text, ')', 32);
    check_value(text, 34);
}

static void parse__takes_4096_bytes_and_no_more(void **state)
{
    char text[4099] = "";

    (void)state;
    for (int i = 0; i < 2047; i++)
        strcat(text, "1+");
    strcat(text, "1 ");
    assert_int_equal(strlen(text), 4096);
    check_value(text, 2048);
    strcat(text, " ");
    check_error(text, 4096, "longer than 4096");
}

static void value__of_a_division_by_zero_does_not_exist(void **state)
{
    (void)state;
    check_no_value("1 / 0");
    check_no_value("0 / 0");
    check_no_value("cycles / (cycles - cycles)");
    check_no_value("1 / (1 / 0)");
    check_no_value("0 * (1 / 0)");
}

static void value__that_is_not_finite_does_not_exist(void **state)
{
    static const double infinite[N_NAMES] = {(double)INFINITY, (double)NAN, DBL_MAX};
    AUTO(formula)
    struct formula *alone = parsed("cycles"), *no_number = parsed("instructions"),
                   *sum = parsed("cache-misses + cache-misses");
    double value = 12345;

    (void)state;
    check_no_value("1e308 * 10");
    check_no_value("1e308 * 10 - 1e308 * 10");
    assert_false(formula_value(alone, infinite, &value));
    assert_false(formula_value(no_number, infinite, &value));
    assert_false(formula_value(sum, infinite, &value));
    assert_true(value == 12345);
}

static void uses__tells_which_events_it_needs(void **state)
{
    AUTO(formula)
    struct formula *formula = parsed("1000 * cache-misses / (cycles + cycles)"),
                   *constant = parsed("1 + 1");

    (void)state;
    assert_true(formula_uses(formula, 0));
    assert_false(formula_uses(formula, 1));
    assert_true(formula_uses(formula, 2));
    assert_false(formula_uses(formula, 3)); /* "cache" begins there, and is not meant */
    assert_false(formula_uses(formula, 99));
    assert_false(formula_uses(constant, 0));
}

static void free__takes_null(void **state)
{
    (void)state;
    assert_null(formula_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value__follows_the_rules_of_arithmetic),
        cmocka_unit_test(value__does_not_mind_white_space),
        cmocka_unit_test(number__has_these_forms),
        cmocka_unit_test(number__out_of_form_is_refused),
        cmocka_unit_test(name__is_the_longest_that_stands_there),
        cmocka_unit_test(name__does_not_end_within_a_word),
        cmocka_unit_test(name__that_is_unknown_brings_the_nearest),
        cmocka_unit_test(error__has_the_nearest_name_as_it_was_given),
        cmocka_unit_test(name__that_is_long_is_cut_in_the_message),
        cmocka_unit_test(name__of_a_group_without_events_is_unknown),
        cmocka_unit_test(parse__refuses_nothing),
        cmocka_unit_test(parse__refuses_what_is_left_over),
        cmocka_unit_test(parse__refuses_unbalanced_parentheses),
        cmocka_unit_test(parse__takes_32_levels_and_no_more),
        cmocka_unit_test(value__of_the_deepest_formula_fits_the_stack),
        cmocka_unit_test(parse__takes_4096_bytes_and_no_more),
        cmocka_unit_test(value__of_a_division_by_zero_does_not_exist),
        cmocka_unit_test(value__that_is_not_finite_does_not_exist),
        cmocka_unit_test(uses__tells_which_events_it_needs),
        cmocka_unit_test(free__takes_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
