/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/suggest.h"

static void distance__counts_single_changes(void **state)
{
    static const struct {
        const char *a, *b;
        unsigned distance;
    } cases[] = {
        {"", "", 0},
        {"", "abc", 3},
        {"cycles", "cycles", 0},
        {"cycles", "cyles", 1},   /* one lost */
        {"cycles", "cyycles", 1}, /* one too many */
        {"cycles", "cyclas", 1},  /* one replaced */
        {"cycles", "cylces", 1},  /* two swapped */
        {"ab", "ba", 1},
        {"abc", "cab", 2},
        {"ca", "abc", 3}, /* a swapped pair is not edited again */
        {"kitten", "sitting", 3},
        {"Cycles", "cycles", 1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        assert_int_equal(suggest_distance(cases[i].a, cases[i].b), cases[i].distance);
        assert_int_equal(suggest_distance(cases[i].b, cases[i].a), cases[i].distance);
    }
}

static void distance__ends_at_63_bytes(void **state)
{
    char longest[64], too_long[65];

    (void)state;
    memset(longest, 'a', sizeof(longest));
    longest[63] = '\0';
    memset(too_long, 'a', sizeof(too_long));
    too_long[64] = '\0';
    assert_int_equal(suggest_distance(longest, longest), 0);
    assert_int_equal(suggest_distance(longest, ""), 63);
    assert_int_equal(suggest_distance(longest, too_long), UINT_MAX);
    assert_int_equal(suggest_distance(too_long, too_long), UINT_MAX);
}

static const char *const words[] = {"cycles", "instructions", "branches", "cs", "cache-misses"};

static const char *nearest(const char *word)
{
    return suggest_nearest(word, words, ARRAY_SIZE(words));
}

static void nearest__finds_what_was_meant(void **state)
{
    (void)state;
    assert_string_equal(nearest("cycles"), "cycles");
    assert_string_equal(nearest("cylces"), "cycles");
    assert_string_equal(nearest("instrutcion"), "instructions");
    assert_string_equal(nearest("cache-mises"), "cache-misses");
    assert_string_equal(nearest("branch"), "branches");
}

static void nearest__is_silent_where_nothing_is_near(void **state)
{
    (void)state;
    assert_null(nearest("page-faults"));
    assert_null(nearest("cyXXXs"));        /* three of six differ */
    assert_null(nearest("inXXXXuctions")); /* never more than three */
    assert_null(nearest(""));
    assert_null(suggest_nearest("cycles", NULL, 0));
}

static void nearest__else_finds_the_same_stem(void **state)
{
    static const char *const keys[] = {"comm", "name", "children", "groups"};

    (void)state;
    assert_string_equal(suggest_nearest("childs", keys, ARRAY_SIZE(keys)), "children");
    assert_null(suggest_nearest("chixxx", keys, ARRAY_SIZE(keys)));    /* another stem */
    assert_null(suggest_nearest("childxxxx", keys, ARRAY_SIZE(keys))); /* more than a third */
    assert_null(nearest("cach"));                                      /* "e-misses" is too long */
    assert_null(nearest("instructional-work"));
}

static void nearest__takes_the_nearest_and_of_equals_the_first(void **state)
{
    static const char *const alike[] = {"cycle1xx", "cycles1", "cycles2"};

    (void)state;
    assert_string_equal(suggest_nearest("cycles", alike, ARRAY_SIZE(alike)), "cycles1");
}

static void nearest__does_not_look_at_words_too_long(void **state)
{
    char word[80];
    const char *const long_words[] = {word};

    (void)state;
    memset(word, 'a', sizeof(word));
    word[79] = '\0';
    assert_null(suggest_nearest(word, long_words, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance__counts_single_changes),
        cmocka_unit_test(distance__ends_at_63_bytes),
        cmocka_unit_test(nearest__finds_what_was_meant),
        cmocka_unit_test(nearest__is_silent_where_nothing_is_near),
        cmocka_unit_test(nearest__else_finds_the_same_stem),
        cmocka_unit_test(nearest__takes_the_nearest_and_of_equals_the_first),
        cmocka_unit_test(nearest__does_not_look_at_words_too_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
