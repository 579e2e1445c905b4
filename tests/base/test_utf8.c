/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/utf8.h"

#define UNTOUCHED UINT32_C(0xfeedface)

/* Decodes a copy in a block of just its size, so that ASan sees a read of one byte too many. */
static size_t decode(const char *bytes, size_t n, uint32_t *ret_code)
{
    AUTO_FREE char *copy = malloc(n + !n);

    assert_non_null(copy);
    memcpy(copy, bytes, n);
    *ret_code = UNTOUCHED;
    return utf8_decode(copy, n, ret_code);
}

static void decode__knows_the_first_and_last_of_each_length(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        uint32_t code;
    } cases[] = {
        {"\0", 1, 0x0},
        {"a", 1, 'a'},
        {"\x7f", 1, 0x7f},
        {"\xc2\x80", 2, 0x80},
        {"\xdf\xbf", 2, 0x7ff},
        {"\xe0\xa0\x80", 3, 0x800},
        {"\xed\x9f\xbf", 3, 0xd7ff},
        {"\xee\x80\x80", 3, 0xe000},
        {"\xef\xbf\xbf", 3, 0xffff},
        {"\xf0\x90\x80\x80", 4, 0x10000},
        {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        uint32_t code;

        assert_int_equal(decode(cases[i].bytes, cases[i].length, &code), cases[i].length);
        assert_int_equal(code, cases[i].code);
    }
}

static void check_refused(const char *bytes, size_t n)
{
    uint32_t code;

    assert_int_equal(decode(bytes, n, &code), 0);
    assert_int_equal(code, UNTOUCHED);
}

static void decode__refuses_what_is_no_character(void **state)
{
    static const char *const cases[] = {
        "\x80",             /* not the first byte of any */
        "\xbf",             /* the same */
        "\xc0\x80",         /* longer than need be: NUL */
        "\xc1\xbf",         /* the same: DEL */
        "\xe0\x9f\xbf",     /* the same: U+07FF */
        "\xf0\x8f\xbf\xbf", /* the same: U+FFFF */
        "\xed\xa0\x80",     /* the first surrogate */
        "\xed\xbf\xbf",     /* the last */
        "\xf4\x90\x80\x80", /* U+110000 */
        "\xf7\xbf\xbf\xbf", /* the highest that four bytes can say */
        "\xf8\x88\x80\x80", /* five bytes would begin so */
        "\xff",             /* nothing begins so */
        "\xc3(",            /* does not go on */
        "\xe2(\xac",        /* does not go on, and then does */
        "\xe2\x82(",
        "\xf0\x9f\x98(",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_refused(cases[i], strlen(cases[i]));
}

static void decode__refuses_what_is_cut_off(void **state)
{
    static const char *const cases[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        for (size_t n = 0; n < strlen(cases[i]); n++)
            check_refused(cases[i], n);
}

static void decode__reads_no_byte_behind_the_end_of_a_string(void **state)
{
    static const char *const cases[] = {"", "\xc3", "\xe2\x82", "\xf0\x9f\x98"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO_FREE char *string = strdup(cases[i]); /* ASan knows its end */
        uint32_t code;

        assert_non_null(string);
        assert_int_equal(utf8_decode(string, UTF8_LONGEST, &code), *string == '\0');
    }
}

static void decode__leaves_what_follows(void **state)
{
    uint32_t code;

    (void)state;
    assert_int_equal(decode("\xc3\xa9\xa9", 3, &code), 2);
    assert_int_equal(code, 0xe9);
    assert_int_equal(decode("a\xff", 2, &code), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decode__knows_the_first_and_last_of_each_length),
        cmocka_unit_test(decode__refuses_what_is_no_character),
        cmocka_unit_test(decode__refuses_what_is_cut_off),
        cmocka_unit_test(decode__reads_no_byte_behind_the_end_of_a_string),
        cmocka_unit_test(decode__leaves_what_follows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
