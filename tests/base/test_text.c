/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "support/too_much_memory.h"

static void append__adds_bytes_as_they_are(void **state)
{
    AUTO_TEXT struct text text = {0};

    (void)state;
    text_append(&text, "a\0b", 3);
    text_append_char(&text, '\n');
    text_append_string(&text, "cd");
    text_append_string(&text, "");
    text_append(&text, NULL, 0);
    assert_int_equal(text.length, 6);
    assert_memory_equal(text.data, "a\0b\ncd", 6);
    assert_int_equal(text_error(&text), 0);
}

static void append__grows_over_any_length(void **state)
{
    AUTO_TEXT struct text text = {0};

    (void)state;
    for (size_t i = 0; i < 100000; i++)
        text_append_char(&text, (char)('a' + i % 26));
    assert_int_equal(text.length, 100000);
    for (size_t i = 0; i < text.length; i++)
        assert_int_equal(text.data[i], 'a' + (int)(i % 26));
}

static void append__of_a_part_of_exact_capacity_fits(void **state)
{
    AUTO_TEXT struct text text = {0};
    char *before;

    (void)state;
    assert_true(text_reserve(&text, 10));
    before = text.data;
    for (size_t left = text.capacity; left > 0; left--)
        text_append_char(&text, 'x');
    assert_ptr_equal(text.data, before);
    assert_int_equal(text.length, text.capacity);
}

static void format__writes_what_printf_writes(void **state)
{
    AUTO_TEXT struct text text = {0};
    char expected[300];

    (void)state;
    memset(expected, 'x', sizeof(expected) - 1);
    expected[sizeof(expected) - 1] = '\0';
    text_append_format(&text, "%s=%d,", "a", -1);
    text_append_format(&text, "%s", expected);
    text_append_format(&text, "%s", "");
    assert_int_equal(text.length, 5 + strlen(expected));
    assert_memory_equal(text.data, "a=-1,xxx", 8);
}

static void failure__is_remembered_until_cleared(void **state)
{
    AUTO_TEXT struct text text = {0};

    (void)state;
    text_append_string(&text, "kept");
    assert_false(text_reserve(&text, SIZE_MAX - 2)); /* the sum overflows */
    assert_int_equal(text_error(&text), -ENOMEM);
    text_append_format(&text, "%d", 1);
    text_append_u64(&text, 1);
    assert_int_equal(text_error(&text), -ENOMEM);
    text_clear(&text);
    assert_int_equal(text_error(&text), 0);
    text_append_string(&text, "new");
    assert_int_equal(text.length, 3);
    assert_memory_equal(text.data, "new", 3);
}

static void failure__of_a_vast_request_returns(void **state)
{
    AUTO_TEXT struct text text = {0};

    (void)state;
    assert_false(text_reserve(&text, SIZE_MAX));
    assert_int_equal(text_error(&text), -ENOMEM);
}

static void take__hands_over_a_string_and_leaves_an_empty_buffer(void **state)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *string = NULL;

    (void)state;
    text_append_string(&text, "abc");
    string = text_take(&text);
    assert_string_equal(string, "abc");
    assert_null(text.data);
    assert_int_equal(text.length, 0);
    assert_int_equal(text.capacity, 0);
}

static void take__of_nothing_is_the_empty_string(void **state)
{
    struct text text = {0};
    AUTO_FREE char *string = text_take(&text);

    (void)state;
    assert_string_equal(string, "");
}

static void take__of_a_failed_buffer_is_null(void **state)
{
    AUTO_TEXT struct text text = {0};

    (void)state;
    text_append_string(&text, "abc");
    assert_false(text_reserve(&text, SIZE_MAX));
    assert_null(text_take(&text));
    assert_int_equal(text_error(&text), 0); /* and the buffer is as new */
    assert_null(text.data);
}

static void clear__keeps_the_memory(void **state)
{
    AUTO_TEXT struct text text = {0};
    char *before;

    (void)state;
    text_append_string(&text, "abc");
    before = text.data;
    text_clear(&text);
    assert_int_equal(text.length, 0);
    text_append_string(&text, "abc");
    assert_ptr_equal(text.data, before);
}

static void done__may_come_twice(void **state)
{
    struct text text = {0};

    (void)state;
    text_append_string(&text, "abc");
    text_done(&text);
    text_done(&text);
    assert_null(text.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(append__adds_bytes_as_they_are),
        cmocka_unit_test(append__grows_over_any_length),
        cmocka_unit_test(append__of_a_part_of_exact_capacity_fits),
        cmocka_unit_test(format__writes_what_printf_writes),
        cmocka_unit_test(failure__is_remembered_until_cleared),
        cmocka_unit_test(failure__of_a_vast_request_returns),
        cmocka_unit_test(take__hands_over_a_string_and_leaves_an_empty_buffer),
        cmocka_unit_test(take__of_nothing_is_the_empty_string),
        cmocka_unit_test(take__of_a_failed_buffer_is_null),
        cmocka_unit_test(clear__keeps_the_memory),
        cmocka_unit_test(done__may_come_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
