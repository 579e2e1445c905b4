/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "tool/safe_text.h"

static int use_unicode(void **state)
{
    (void)state;
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        fail_msg("there is no locale C.UTF-8 here");
    return 0;
}

static int use_ascii(void **state)
{
    (void)state;
    return setlocale(LC_CTYPE, "C") ? 0 : -1;
}

static void assert_safe(const char *bytes, const char *expected)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *safe = NULL;

    safe_text_append(&text, bytes, strlen(bytes));
    safe = text_take(&text);
    assert_string_equal(expected, safe);
}

static void whatever_could_steer_a_terminal_is_written_out(void **state)
{
    (void)state;
    assert_safe("plain name.service", "plain name.service");
    assert_safe("caf\xc3\xa9", "caf\xc3\xa9");
    assert_safe("\xe6\xbc\xa2", "\xe6\xbc\xa2");
    assert_safe("\x1b[2J", "\\x1b[2J");
    assert_safe("a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f");
    assert_safe("\xff\xc3(", "\\xff\\xc3(");
    assert_safe("\xc2\x9b", "\\u009b");             /* CSI as one character */
    assert_safe("\xe2\x80\xae", "\\u202e");         /* turns the direction of the line */
    assert_safe("\xe2\x81\xa6", "\\u2066");         /* isolates text of a direction */
    assert_safe("e\xcc\x81", "e\\u0301");           /* combines with what stands before it */
    assert_safe("\xf3\xa0\x81\x81", "\\U000e0041"); /* a tag, which is not seen */
}

static void in_the_locale_of_ascii_only_ascii_is_shown(void **state)
{
    (void)state;
    assert_safe("caf\xc3\xa9", "caf\\u00e9");
    assert_safe("plain", "plain");
}

static void assert_cut(const char *text, size_t width, const char *expected, size_t columns)
{
    AUTO_TEXT struct text cut = {0};
    AUTO_FREE char *result = NULL;

    assert_int_equal(columns, safe_text_append_cut(&cut, text, strlen(text), width, "~"));
    result = text_take(&cut);
    assert_string_equal(expected, result);
    assert_int_equal(columns, safe_text_width(result, strlen(result)));
}

static void a_text_is_cut_in_its_middle_by_the_columns_it_takes(void **state)
{
    (void)state;
    assert_cut("abcdef", 6, "abcdef", 6);
    assert_cut("abcdefghij", 7, "ab~ghij", 7);
    assert_cut("abcdef", 1, "~", 1);
    assert_cut("abcdef", 0, "", 0);
    /* Each of these characters takes two columns. */
    assert_cut("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 6, "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2",
               6);
    assert_cut("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 5, "~\xe6\xbc\xa2\xe6\xbc\xa2", 5);
    assert_cut("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 4, "~\xe6\xbc\xa2", 3);
}

static void the_beginning_of_a_text_is_what_fits(void **state)
{
    AUTO_TEXT struct text text = {0};

    (void)state;
    assert_int_equal(1, safe_text_append_start(&text, "a\xe6\xbc\xa2z", 5, 2));
    assert_int_equal(1, text.length);
    assert_int_equal(3, safe_text_append_start(&text, "a\xe6\xbc\xa2z", 5, 3));
    assert_int_equal(5, text.length);
    assert_memory_equal("aa\xe6\xbc\xa2", text.data, 5);
}

static void a_name_of_4072_bytes_fits_into_any_width(void **state)
{
    AUTO_FREE char *bytes = malloc(4073);

    (void)state;
    memset(bytes, 0xff, 4072);
    bytes[4072] = '\0';
    for (size_t width = 0; width < 200; width += 7) {
        AUTO_TEXT struct text safe = {0}, cut = {0};

        safe_text_append(&safe, bytes, 4072);
        assert_true(safe_text_append_cut(&cut, safe.data, safe.length, width, "~") <= width);
        assert_int_equal(0, text_error(&cut));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(whatever_could_steer_a_terminal_is_written_out, use_unicode),
        cmocka_unit_test_setup(in_the_locale_of_ascii_only_ascii_is_shown, use_ascii),
        cmocka_unit_test_setup(a_text_is_cut_in_its_middle_by_the_columns_it_takes, use_unicode),
        cmocka_unit_test_setup(the_beginning_of_a_text_is_what_fits, use_unicode),
        cmocka_unit_test_setup(a_name_of_4072_bytes_fits_into_any_width, use_unicode),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
