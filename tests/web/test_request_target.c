/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "web/request_target.h"

static bool is(struct piece piece, const char *text)
{
    return piece.length == strlen(text) && memcmp(piece.at, text, piece.length) == 0;
}

static struct request_target parsed(const char *text)
{
    struct request_target target;

    assert_int_equal(0, request_target_parse(text, &target));
    return target;
}

static void a_path_and_a_query_are_told_apart(void **state)
{
    struct request_target target = parsed("/metrics?a=1&b=/?");

    (void)state;
    assert_true(is(target.path, "/metrics"));
    assert_true(is(target.query, "a=1&b=/?"));
    assert_int_equal(0, target.authority.length);
    target = parsed("/");
    assert_true(is(target.path, "/"));
    assert_true(is(target.query, ""));
    assert_true(is(parsed("/metrics?").query, ""));
}

static void a_target_may_name_the_host(void **state)
{
    const struct request_target target = parsed("HTTP://127.0.0.1:10138/metrics?x");

    (void)state;
    assert_true(is(target.authority, "127.0.0.1:10138"));
    assert_true(is(target.path, "/metrics"));
    assert_true(is(target.query, "x"));
    assert_true(is(parsed("https://[::1]").path, "/"));
    assert_true(is(parsed("http://host?q").path, "/"));
    assert_true(is(parsed("http://host?q").query, "q"));
}

static void what_is_no_target_is_refused(void **state)
{
    static const char *const wrong[] = {
        "",
        "*",
        "metrics",
        "%2fmetrics",
        "?x",
        "http://",
        "http:///x",
        "http://a@b/",
        "http://a b/",
        "ftp://host/",
        "host:80",
        "/a b",
        "/a\tb",
        "/a\r",
        "/a\x01",
        "/a\x7f",
        "/?a b",
        "/%",
        "/%4",
        "/%zz",
        "/%2fmetrics",
        "/%2Fmetrics",
        "/metrics%2f",
        "/metrics%00",
        "/metrics%00abc",
        "/%00",
        "/metrics?%00",
        "/metrics?a=b%00c",
        "http://host%00name/metrics",
    };
    struct request_target target = {.path = {"as before", 9}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        if (request_target_parse(wrong[i], &target) != -EINVAL)
            fail_msg("%s is taken", wrong[i]);
    assert_true(is(target.path, "as before"));
}

static void expect_path(const char *path, const char *text)
{
    const struct request_target target = parsed(text);
    AUTO_FREE char *decoded = request_target_path(&target);

    assert_non_null(decoded);
    assert_string_equal(path, decoded);
}

static void letters_may_be_encoded_and_nothing_is_resolved(void **state)
{
    (void)state;
    expect_path("/metrics", "/%6detric%73?x");
    expect_path("/../metrics", "/%2e%2e/metrics");
    expect_path("//metrics", "//metrics");
    expect_path("/my metrics%\xc3\xa9", "/my%20metrics%25\xc3\xa9");
    expect_path("/", "http://host");
}

static void a_host_is_made_of_what_hosts_are(void **state)
{
    (void)state;
    assert_true(host_is_valid((struct piece){"host:1", 6}));
    assert_true(host_is_valid((struct piece){"[::1]:1", 7}));
    assert_false(host_is_valid((struct piece){"", 0}));
    assert_false(host_is_valid((struct piece){"a/b", 3}));
    assert_false(host_is_valid((struct piece){"a@b", 3}));
    assert_false(host_is_valid((struct piece){"a\0b", 3}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_and_a_query_are_told_apart),
        cmocka_unit_test(a_target_may_name_the_host),
        cmocka_unit_test(what_is_no_target_is_refused),
        cmocka_unit_test(letters_may_be_encoded_and_nothing_is_resolved),
        cmocka_unit_test(a_host_is_made_of_what_hosts_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
