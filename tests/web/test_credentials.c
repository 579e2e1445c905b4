/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <string.h>

#include "web/credentials.h"

static void credentials__of_a_basic_header__are_name_and_password(void **state)
{
    struct credentials credentials;

    (void)state;
    assert_true(credentials_parse("Basic YWxpY2U6Y29ycmVjdCBob3JzZQ==", &credentials));
    assert_string_equal(credentials.name, "alice");
    assert_string_equal(credentials.password, "correct horse");
    assert_true(credentials_parse("bAsIc   YTpiOmM=", &credentials)); /* a:b:c */
    assert_string_equal(credentials.name, "a");
    assert_string_equal(credentials.password, "b:c");
    assert_true(credentials_parse("Basic Og==", &credentials));
    assert_string_equal(credentials.name, "");
    assert_string_equal(credentials.password, "");
}

static void credentials__of_anything_else__are_none(void **state)
{
    static const char *const texts[] = {
        "",
        "Basic",
        "Basic ",
        "Bearer YTpi",
        "Basic YTp",
        "Basic YTpi=",
        "Basic YTpi====",
        "Basic !!!!",
        "Basic YWI=",
        /* no colon */ "Basic YToAYg==", /* a NUL */
        "Basic ====",
        "Basic YT=pYg==",
    };
    struct credentials credentials = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        assert_false(credentials_parse(texts[i], &credentials));
    assert_int_equal(credentials.password[0], 0);
}

static void credentials__that_are_too_long__are_none(void **state)
{
    char header[4096] = "Basic ";
    struct credentials credentials;

    (void)state;
    memset(header + strlen("Basic "), 'O', 2000); /* 8 O of base64 are a colon and others */
    assert_false(credentials_parse(header, &credentials));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(credentials__of_a_basic_header__are_name_and_password),
        cmocka_unit_test(credentials__of_anything_else__are_none),
        cmocka_unit_test(credentials__that_are_too_long__are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
