/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <jansson.h>
#include <math.h>

#include "expose/json_text.h"

/* What a reader of JSON makes of the text. */
static json_t *read_back(struct text *text)
{
    json_error_t error;
    json_t *value = json_loadb(text->data, text->length, JSON_DECODE_ANY, &error);

    if (!value)
        fail_msg("%s: %.*s", error.text, (int)text->length, text->data);
    return value;
}

static void expect_read_back(const char *string, const char *expected)
{
    AUTO_TEXT struct text text = {0};
    json_t *value;

    json_append_string(&text, string);
    value = read_back(&text);
    assert_string_equal(json_string_value(value), expected);
    json_decref(value);
}

static void a_string_reads_back_the_same_whatever_is_in_it(void **state)
{
    static const char *const strings[] = {
        "",
        "a",
        "/system.slice/a\\x2db.service",
        "\"quoted\"",
        "\\",
        "a\nb\r\t",
        "\x01\x1f\x7f",
        "\xc3\xa9 \xe2\x80\xae \xf0\x9f\x98\x80",
        "</s",
        "\\u0041",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
        expect_read_back(strings[i], strings[i]);
    for (int c = 1; c < 0x80; c++)
        expect_read_back((char[]){(char)c, 'x', '\0'}, (char[]){(char)c, 'x', '\0'});
}

static void bytes_that_are_no_text_are_replaced_one_by_one(void **state)
{
    (void)state;
    expect_read_back("a\xff", "a\xef\xbf\xbd");
    expect_read_back("\xc3(", "\xef\xbf\xbd(");
    expect_read_back("\xe2\x80", "\xef\xbf\xbd\xef\xbf\xbd");
}

static void numbers_that_json_cannot_hold_are_null(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"}, {-2, "-2"}, {NAN, "null"}, {INFINITY, "null"}, {-INFINITY, "null"}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO_TEXT struct text text = {0};
        AUTO_FREE char *written = NULL;

        json_append_double(&text, cases[i].value);
        written = text_take(&text);
        assert_string_equal(written, cases[i].text);
    }
}

static void seconds_have_no_zeros_at_their_end(void **state)
{
    static const struct {
        uint64_t ns;
        const char *text;
    } cases[] = {{0, "0"},
                 {UINT64_C(1700000000000000000), "1700000000"},
                 {1500000000, "1.5"},
                 {UINT64_C(1700000000000000001), "1700000000.000000001"},
                 {UINT64_C(10000000000), "10"}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO_TEXT struct text text = {0};
        AUTO_FREE char *written = NULL;

        json_append_seconds(&text, cases[i].ns);
        written = text_take(&text);
        assert_string_equal(written, cases[i].text);
    }
}

static void what_was_measured_has_seven_digits(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "1"},
                 {1.978470061101802, "1.97847"},
                 {0.5, "0.5"},
                 {0.999999999999, "1"},
                 {9.9999999999, "10"},
                 {1525.6730236375984, "1525.673"},
                 {68849.95354147309, "68849.95"},
                 {1234567.8912, "1234568"},
                 {12345678901.5, "12345678902"},
                 {10, "10"},
                 {1e20, "1e+20"},
                 {NAN, "null"},
                 {0.000123456789, "0.0001234568"}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO_TEXT struct text text = {0};
        AUTO_FREE char *written = NULL;

        json_append_measured(&text, cases[i].value);
        written = text_take(&text);
        assert_string_equal(written, cases[i].text);
    }
}

static void no_string_is_null(void **state)
{
    AUTO_TEXT struct text text = {0};
    json_t *value;

    (void)state;
    json_append_string(&text, NULL);
    value = read_back(&text);
    assert_true(json_is_null(value));
    json_decref(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_reads_back_the_same_whatever_is_in_it),
        cmocka_unit_test(bytes_that_are_no_text_are_replaced_one_by_one),
        cmocka_unit_test(numbers_that_json_cannot_hold_are_null),
        cmocka_unit_test(seconds_have_no_zeros_at_their_end),
        cmocka_unit_test(what_was_measured_has_seven_digits),
        cmocka_unit_test(no_string_is_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
