/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "web/query.h"

static struct query parsed(const char *text)
{
    struct query query;

    assert_int_equal(0, query_parse(text, &query));
    return query;
}

static void an_argument_is_found_and_decoded(void **state)
{
    AUTO_QUERY struct query query = parsed("durations=1&duration=%310m&duration=2&b=a+%2b&%63=3");

    (void)state;
    assert_string_equal("10m", query_value(&query, "duration"));
    assert_string_equal("a +", query_value(&query, "b"));
    assert_string_equal("3", query_value(&query, "c"));
    assert_null(query_value(&query, "d"));
    assert_null(query_value(&query, "durati"));
}

static void arguments_keep_their_order_and_may_repeat(void **state)
{
    AUTO_QUERY struct query query = parsed("n[]=1&m=2&n[]=3=4");

    (void)state;
    assert_int_equal(3, query.n);
    assert_string_equal("n[]", query.arguments[0].name);
    assert_string_equal("m", query.arguments[1].name);
    assert_string_equal("n[]", query.arguments[2].name);
    assert_string_equal("3=4", query.arguments[2].value);
}

static void a_name_alone_has_an_empty_value(void **state)
{
    AUTO_QUERY struct query query = parsed("a&b=&c");

    (void)state;
    assert_string_equal("", query_value(&query, "a"));
    assert_string_equal("", query_value(&query, "b"));
    assert_string_equal("", query_value(&query, "c"));
}

static void what_is_no_argument_is_left_out(void **state)
{
    static const char *const texts[] = {"",    "&",   "&&&",  "=",     "=1",
                                        "%=1", "a=%", "a=%4", "a=%zz", "%4=a"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        AUTO_QUERY struct query query = parsed(texts[i]);

        if (query.n > 0)
            fail_msg("\"%s\" has an argument", texts[i]);
    }
}

static void what_is_wrong_does_not_hide_what_is_right(void **state)
{
    AUTO_QUERY struct query query = parsed("a=%zz&&=&b=1&a=2");

    (void)state;
    assert_int_equal(2, query.n);
    assert_string_equal("2", query_value(&query, "a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_argument_is_found_and_decoded),
        cmocka_unit_test(arguments_keep_their_order_and_may_repeat),
        cmocka_unit_test(a_name_alone_has_an_empty_value),
        cmocka_unit_test(what_is_no_argument_is_left_out),
        cmocka_unit_test(what_is_wrong_does_not_hide_what_is_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
