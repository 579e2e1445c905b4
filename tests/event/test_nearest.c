/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/nearest.h"

static void offer__keeps_the_nearest(void **state)
{
    struct nearest nearest;

    (void)state;
    assert_true(nearest_init(&nearest, "cycls"));
    assert_string_equal(nearest.best, "");
    nearest_offer(&nearest, "instructions");
    assert_string_equal(nearest.best, "");
    nearest_offer(&nearest, "cyclots");
    assert_string_equal(nearest.best, "cyclots");
    nearest_offer(&nearest, "cycles");
    assert_string_equal(nearest.best, "cycles");
    nearest_offer(&nearest, "cyclxs"); /* as near, but later */
    assert_string_equal(nearest.best, "cycles");
}

static void offer__takes_cases_and_separators_for_alike(void **state)
{
    struct nearest nearest;

    (void)state;
    assert_true(nearest_init(&nearest, "inst_retired.any_p"));
    nearest_offer(&nearest, "INST_RETIRED:ANY");
    nearest_offer(&nearest, "INST_RETIRED:ANY_P");
    assert_string_equal(nearest.best, "INST_RETIRED:ANY_P");
    assert_true(nearest_init(&nearest, "az"));
    nearest_offer(&nearest, "AZ");
    assert_string_equal(nearest.best, "AZ");
}

static void offer__passes_over_words_too_long(void **state)
{
    struct nearest nearest;
    char longest[NEAREST_WORD_SIZE], too_long[NEAREST_WORD_SIZE + 1];

    (void)state;
    memset(longest, 'a', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    memset(too_long, 'a', sizeof(too_long));
    too_long[sizeof(too_long) - 1] = '\0';
    assert_true(nearest_init(&nearest, longest));
    nearest_offer(&nearest, too_long);
    assert_string_equal(nearest.best, "");
    nearest_offer(&nearest, longest);
    assert_string_equal(nearest.best, longest);
    assert_false(nearest_init(&nearest, too_long));
}

static void offer__of_nothing_like_it_leaves_nothing(void **state)
{
    struct nearest nearest;

    (void)state;
    assert_true(nearest_init(&nearest, ""));
    nearest_offer(&nearest, "cs");
    assert_string_equal(nearest.best, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offer__keeps_the_nearest),
        cmocka_unit_test(offer__takes_cases_and_separators_for_alike),
        cmocka_unit_test(offer__passes_over_words_too_long),
        cmocka_unit_test(offer__of_nothing_like_it_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
