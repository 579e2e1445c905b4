/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "target/cgroup_rules.h"

static int setup(void **state)
{
    struct cgroup_rules *rules = NULL;
    int r = cgroup_rules_new(&rules);

    *state = rules;
    return r;
}

static int teardown(void **state)
{
    *state = cgroup_rules_free(*state);
    return 0;
}

static void add(struct cgroup_rules *rules, const char *include, const char *exclude)
{
    assert_int_equal(cgroup_rules_add(rules, &include, 1, &exclude, exclude ? 1 : 0), 0);
}

static void rules__none_match_nothing(void **state)
{
    assert_int_equal(cgroup_rules_match(*state, "/a"), -1);
    assert_false(cgroup_rules_may_match_below(*state, "/"));
}

static void rules__the_first_that_matches_wins(void **state)
{
    add(*state, "/a/*", NULL);
    add(*state, "/**", NULL);
    assert_int_equal(cgroup_rules_match(*state, "/a/b"), 0);
    assert_int_equal(cgroup_rules_match(*state, "/a"), 1);
}

static void rules__an_excluded_one_may_belong_to_a_later_rule(void **state)
{
    add(*state, "/a/*", "/a/x*");
    add(*state, "/**", NULL);
    assert_int_equal(cgroup_rules_match(*state, "/a/b"), 0);
    assert_int_equal(cgroup_rules_match(*state, "/a/xb"), 1);
}

static void rules__any_include_and_any_exclude_count(void **state)
{
    static const char *const include[] = {"/a", "/b/*"}, *const exclude[] = {"/b/x", "/b/y"};

    assert_int_equal(cgroup_rules_add(*state, include, 2, exclude, 2), 0);
    assert_int_equal(cgroup_rules_match(*state, "/a"), 0);
    assert_int_equal(cgroup_rules_match(*state, "/b/z"), 0);
    assert_int_equal(cgroup_rules_match(*state, "/b/x"), -1);
    assert_int_equal(cgroup_rules_match(*state, "/b/y"), -1);
    assert_int_equal(cgroup_rules_match(*state, "/b"), -1);
}

static void rules__what_is_excluded_whole_is_not_walked(void **state)
{
    add(*state, "/**/*.service", "/user.slice/**");
    assert_true(cgroup_rules_may_match_below(*state, "/"));
    assert_true(cgroup_rules_may_match_below(*state, "/system.slice"));
    assert_false(cgroup_rules_may_match_below(*state, "/user.slice"));
    assert_false(cgroup_rules_may_match_below(*state, "/user.slice/a"));
    add(*state, "/user.slice/*", NULL);
    assert_true(cgroup_rules_may_match_below(*state, "/user.slice"));
    assert_false(cgroup_rules_may_match_below(*state, "/user.slice/a"));
}

static void rules__a_bad_pattern_is_refused_and_changes_nothing(void **state)
{
    static const char *const bad[] = {"/a", "b"}, *const good[] = {"/b"};

    assert_int_equal(cgroup_rules_add(*state, bad, 2, NULL, 0), -EINVAL);
    assert_int_equal(cgroup_rules_add(*state, good, 1, bad, 2), -EINVAL);
    assert_int_equal(cgroup_rules_match(*state, "/a"), -1);
    assert_int_equal(cgroup_rules_match(*state, "/b"), -1);
}

static void rules__patterns_are_copied(void **state)
{
    char pattern[] = "/a";
    const char *include = pattern;

    assert_int_equal(cgroup_rules_add(*state, &include, 1, NULL, 0), 0);
    pattern[1] = 'b';
    assert_int_equal(cgroup_rules_match(*state, "/a"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(rules__none_match_nothing),
        TEST(rules__the_first_that_matches_wins),
        TEST(rules__an_excluded_one_may_belong_to_a_later_rule),
        TEST(rules__any_include_and_any_exclude_count),
        TEST(rules__what_is_excluded_whole_is_not_walked),
        TEST(rules__a_bad_pattern_is_refused_and_changes_nothing),
        TEST(rules__patterns_are_copied),
    };

    return cmocka_run_group_tests_name("cgroup_rules", tests, NULL, NULL);
}
