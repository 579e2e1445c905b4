/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "target/glob.h"
#include "target/glob_steps.h"

struct match_case {
    const char *pattern, *path;
    bool matches;
};

static void assert_cases(const struct match_case *cases, size_t n,
                         bool (*holds)(const char *, const char *))
{
    for (size_t i = 0; i < n; i++) {
        if (holds(cases[i].pattern, cases[i].path) != cases[i].matches)
            fail_msg("%s, %s: not %s", cases[i].pattern, cases[i].path,
                     cases[i].matches ? "true" : "false");
        if (holds == glob_match && cases[i].matches)
            assert_true(glob_may_match(cases[i].pattern, cases[i].path));
    }
}

static void glob__bytes_stand_for_themselves(void **state)
{
    static const struct match_case cases[] = {
        {"/a", "/a", true},           {"/a", "/b", false},
        {"/a", "/ab", false},         {"/ab", "/a", false},
        {"/a", "/a/b", false},        {"/a/b", "/a/b", true},
        {"/A", "/a", false},          {"/[a]", "/a", false},
        {"/[a]", "/[a]", true},       {"/{a,b}", "/a", false},
        {"/a.b", "/axb", false},      {"/\xff", "/\xff", true},
        {"/a\\x2db", "/ax2db", true}, {"/a\\\\x2db", "/a\\x2db", true},
    };

    (void)state;
    assert_cases(cases, ARRAY_SIZE(cases), glob_match);
}

static void glob__star_stays_within_one_name(void **state)
{
    static const struct match_case cases[] = {
        {"/*", "/a", true},
        {"/*", "/abc", true},
        {"/*", "/a/b", false},
        {"/*/b", "/a/b", true},
        {"/*/b", "/a/c/b", false},
        {"/a*", "/a", true},
        {"/a*", "/abc", true},
        {"/a*c", "/abbc", true},
        {"/a*c", "/ab/c", false},
        {"/*a*", "/bab", true},
        {"/*a*", "/bbb", false},
        {"/system.slice/*.service", "/system.slice/nginx.service", true},
        {"/system.slice/*.service", "/system.slice/.service", true},
        {"/system.slice/*.service", "/system.slice/nginx.scope", false},
        {"/system.slice/*.service", "/system.slice/a/nginx.service", false},
        {"/system.slice/*.service", "/system.slice/a.service.service", true},
        {"/system.slice/*.service", "/system.slice/a.service/x", false},
        {"/*/*/*", "/a/b/c", true},
        {"/*/*/*", "/a/b", false},
    };

    (void)state;
    assert_cases(cases, ARRAY_SIZE(cases), glob_match);
}

static void glob__two_stars_cross_names(void **state)
{
    static const struct match_case cases[] = {
        {"/**", "/a", true},
        {"/**", "/a/b/c", true},
        {"/a/**", "/a/b", true},
        {"/a/**", "/a/b/c", true},
        {"/a/**", "/a", false},
        {"/a/**", "/ab", false},
        {"/a**", "/a", true},
        {"/a**", "/ab", true},
        {"/a**", "/a/b", true},
        {"/a**c", "/ab/bc", true},
        {"/a**c", "/ab/bd", false},
        {"/**.service", "/a/b/c.service", true},
        {"/**.service", "/a.service", true},
        {"/**.service", "/a.service/b", false},
        {"/**/*.service", "/a/b/c.service", true},
        {"/kubepods.slice/**/cri-*", "/kubepods.slice/p/q/cri-1", true},
        {"/**a**b**", "/xxaxx/xxbxx", true},
        {"/**a**b**", "/xxbxx/xxaxx", false},
    };

    (void)state;
    assert_cases(cases, ARRAY_SIZE(cases), glob_match);
}

static void glob__two_stars_between_slashes_may_be_no_name(void **state)
{
    static const struct match_case cases[] = {
        {"/a/**/b", "/a/b", true},    {"/a/**/b", "/a/x/b", true}, {"/a/**/b", "/a/x/y/b", true},
        {"/a/**/b", "/ab", false},    {"/a/**/b", "/a/xb", false}, {"/**/b", "/b", true},
        {"/**/b", "/a/b", true},      {"/**/b", "/ab", false},     {"/a**/b", "/ab", false},
        {"/a/**/**/b", "/a/b", true}, {"/**/*/**", "/a/b", true},  {"/a/**b", "/a/b", true},
    };

    (void)state;
    assert_cases(cases, ARRAY_SIZE(cases), glob_match);
}

static void glob__question_mark_is_one_byte_of_a_name(void **state)
{
    static const struct match_case cases[] = {
        {"/?", "/a", true},     {"/?", "/ab", false},       {"/a?b", "/a/b", false},
        {"/a?b", "/axb", true}, {"/??", "/\xc3\xa9", true}, {"/?", "/\xc3\xa9", false},
        {"/a?", "/a", false},
    };

    (void)state;
    assert_cases(cases, ARRAY_SIZE(cases), glob_match);
}

static void glob__backslash_takes_the_next_byte_literally(void **state)
{
    static const struct match_case cases[] = {
        {"/\\*", "/*", true},      {"/\\*", "/a", false},  {"/\\?", "/?", true},
        {"/\\?", "/a", false},     {"/\\\\", "/\\", true}, {"/a\\b", "/ab", true},
        {"/\\***", "/*a/b", true}, {"/*\\", "/a\\", true},
    };

    (void)state;
    assert_cases(cases, ARRAY_SIZE(cases), glob_match);
}

static void glob__only_the_root_matches_the_root(void **state)
{
    static const struct match_case cases[] = {
        {"/", "/", true},   {"/*", "/", false}, {"/**", "/", false},
        {"/", "/a", false}, {"/?", "/", false}, {"/**/*", "/", false},
    };

    (void)state;
    assert_cases(cases, ARRAY_SIZE(cases), glob_match);
}

static void glob__knows_what_may_match_below_a_directory(void **state)
{
    static const struct match_case cases[] = {
        {"/system.slice/*.service", "/", true},
        {"/system.slice/*.service", "/system.slice", true},
        {"/system.slice/*.service", "/system.slice/a.service", false},
        {"/system.slice/*.service", "/user.slice", false},
        {"/system.slice/*.service", "/system", false},
        {"/a/**", "/a", true},
        {"/a/**", "/a/b/c", true},
        {"/a/**", "/b", false},
        {"/a**", "/ab", true},
        {"/a**c", "/b", false},
        {"/*/b", "/x", true},
        {"/*/b", "/x/b", false},
        {"/**/x", "/a/b/c", true},
        {"/a/**/b", "/a", true},
        {"/", "/", false},
        {"/a", "/", true},
        {"/a", "/a", false},
    };

    (void)state;
    assert_cases(cases, ARRAY_SIZE(cases), glob_may_match_below);
}

static void glob__knows_what_matches_all_below_a_directory(void **state)
{
    static const struct match_case cases[] = {
        {"/a/**", "/a", true},    {"/a/**", "/a/b", true},   {"/a/**", "/", false},
        {"/**", "/", true},       {"/a**", "/ab", true},     {"/a**", "/", false},
        {"/a/*", "/a", false},    {"/a/**/b", "/a", false},  {"/a/**c", "/a", false},
        {"/a/\\**", "/a", false}, {"/*/x/**", "/q/x", true}, {"/*/x/**", "/q/y", false},
    };

    (void)state;
    assert_cases(cases, ARRAY_SIZE(cases), glob_matches_all_below);
}

/* Tries each path of up to four bytes of a small alphabet with a set of patterns. */
static void glob__below_is_never_wrongly_false(void **state)
{
    static const char *const patterns[] = {"/a",      "/*",    "/**",  "/a/*",  "/*b",   "/a**",
                                           "/a/**/b", "/**/a", "/?/b", "/ab/*", "/a*/b", "/**b/a"};
    static const char letters[] = "ab/";

    (void)state;
    for (unsigned code = 0; code < 3 * 3 * 3 * 3 * 3; code++) {
        char path[8] = "/", directory[8];
        unsigned rest = code;

        for (size_t i = 1; i < 6; i++, rest /= 3)
            path[i] = letters[rest % 3];
        if (strstr(path, "//") || path[5] == '/')
            continue;
        strcpy(directory, path);
        *strrchr(directory, '/') = '\0';
        for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
            const char *parent = directory[0] ? directory : "/";

            if (glob_match(patterns[i], path))
                assert_true(glob_may_match_below(patterns[i], parent));
            else
                assert_false(glob_matches_all_below(patterns[i], parent));
        }
    }
}

static void glob__a_path_without_what_stands_between_wildcards_cannot_match(void **state)
{
    static const char *const patterns[] = {"/a",       "/*",       "/**",    "/a/*",    "/*b",
                                           "/a**",     "/a/**/b",  "/**/a",  "/?/b",    "/**b/a",
                                           "/**/**/a", "/a/**/**", "/\\a/?", "/\\**/b", "/a**/b"};
    static const char letters[] = "ab/*";

    (void)state;
    assert_false(glob_may_match("/**/web-*.service", "/system.slice/db.service"));
    assert_false(glob_may_match("/**/b*a", "/x/ab"));
    assert_false(glob_may_match("/a?", "/"));
    for (unsigned code = 0; code < 4 * 4 * 4 * 4 * 4; code++) {
        char path[8] = "/";
        unsigned rest = code;

        for (size_t i = 1; i < 6; i++, rest /= 4)
            path[i] = letters[rest % 4];
        for (size_t n = 2; n <= 6; n++) {
            AUTO_FREE char *begin = strndup(path, n);

            for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
                if (glob_match(patterns[i], begin) && !glob_may_match(patterns[i], begin))
                    fail_msg("%s matches %s", patterns[i], begin);
        }
    }
}

static void glob__no_pattern_costs_more_than_its_length_a_byte(void **state)
{
    static const char *const patterns[] = {
        "/*a*a*a*a*a*a*a*a*a*a*b", "/**a**a**a**a**a**a**b", "/**/**/**/**/**/**/**/b",
        "/*?*?*?*?*?*?*?*?b",      "/**a*a**a*a**a*a**b",
    };
    char path[16385] = "/";

    (void)state;
    memset(path + 1, 'a', sizeof(path) - 2);
    for (size_t i = 7; i < sizeof(path) - 1; i += 7)
        path[i] = '/';
    path[sizeof(path) - 2] = 'c';
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
        uint64_t steps;

        assert_false(glob_match_counted(patterns[i], path, &steps));
        assert_true(steps <= strlen(path) * (strlen(patterns[i]) + 1));
    }
}

static void glob__a_usual_pattern_takes_few_steps(void **state)
{
    uint64_t steps;

    (void)state;
    assert_false(glob_match_counted("/user.slice/**", "/system.slice/nginx.service", &steps));
    assert_in_range(steps, 1, 3);
    assert_true(
        glob_match_counted("/system.slice/*.service", "/system.slice/nginx.service", &steps));
    assert_in_range(steps, 27, 60);
}

static void glob__check_says_what_is_wrong(void **state)
{
    static const struct {
        const char *pattern, *wrong;
    } cases[] = {
        {"", "a pattern must begin with /"},
        {"a", "a pattern must begin with /"},
        {"*", "a pattern must begin with /"},
        {"/a/", "a pattern must not end in /"},
        {"/a//b", "a pattern must not contain //, as no path does"},
        {"//", "a pattern must not end in /"},
        {"/a\\", "a character must follow the last backslash"},
        {"/a\\\\\\", "a character must follow the last backslash"},
        {"/***", "a pattern must not have more than two stars in a row"},
    };
    static const char *const good[] = {"/",      "/a",     "/**",    "/*",
                                       "/a\\\\", "/\\***", "/*\\**", "/a b"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_string_equal(glob_check(cases[i].pattern), cases[i].wrong);
    for (size_t i = 0; i < ARRAY_SIZE(good); i++)
        assert_null(glob_check(good[i]));
}

static void glob__a_pattern_that_is_too_long_is_refused_and_matches_nothing(void **state)
{
    char pattern[GLOB_PATTERN_MAX + 2] = "/";

    (void)state;
    memset(pattern + 1, 'a', sizeof(pattern) - 2);
    assert_string_equal(glob_check(pattern), "a pattern must not be longer than 1024 bytes");
    assert_false(glob_match(pattern, pattern));
    assert_false(glob_may_match_below(pattern, "/"));
    pattern[GLOB_PATTERN_MAX] = '\0';
    assert_null(glob_check(pattern));
    assert_true(glob_match(pattern, pattern));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glob__bytes_stand_for_themselves),
        cmocka_unit_test(glob__star_stays_within_one_name),
        cmocka_unit_test(glob__two_stars_cross_names),
        cmocka_unit_test(glob__two_stars_between_slashes_may_be_no_name),
        cmocka_unit_test(glob__question_mark_is_one_byte_of_a_name),
        cmocka_unit_test(glob__backslash_takes_the_next_byte_literally),
        cmocka_unit_test(glob__only_the_root_matches_the_root),
        cmocka_unit_test(glob__knows_what_may_match_below_a_directory),
        cmocka_unit_test(glob__knows_what_matches_all_below_a_directory),
        cmocka_unit_test(glob__below_is_never_wrongly_false),
        cmocka_unit_test(glob__a_path_without_what_stands_between_wildcards_cannot_match),
        cmocka_unit_test(glob__no_pattern_costs_more_than_its_length_a_byte),
        cmocka_unit_test(glob__a_usual_pattern_takes_few_steps),
        cmocka_unit_test(glob__check_says_what_is_wrong),
        cmocka_unit_test(glob__a_pattern_that_is_too_long_is_refused_and_matches_nothing),
    };

    return cmocka_run_group_tests_name("glob", tests, NULL, NULL);
}
