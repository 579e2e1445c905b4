/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "tool/top/name.h"

static void assert_raw(const char *label, const char *expected)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *raw = NULL;

    top_name_append_raw(&text, label);
    raw = text_take(&text);
    assert_string_equal(expected, raw);
}

static void a_label_that_is_encoded_becomes_the_path(void **state)
{
    (void)state;
    assert_raw("/a/b", "/a/b");
    assert_raw("/a%41", "/a%41"); /* Only a label that begins with %/ is encoded. */
    assert_raw("%/a%ff/%25x", "/a\xff/%x");
    assert_raw("%/a%4", "/a%4");
    assert_raw("%/%zz%", "/%zz%");
    assert_raw("make %41", "make %41");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_that_is_encoded_becomes_the_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
