/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <string.h>

#include "history/column_code.h"

static void check(const uint64_t *numbers, size_t n)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE uint64_t *read = calloc(n + 1, sizeof(*read));
    struct code_cursor cursor;

    code_append_column(&text, numbers, 1, n);
    assert_int_equal(text_error(&text), 0);
    cursor = (struct code_cursor){(const uint8_t *)text.data, text.length, 0};
    assert_int_equal(code_read_column(&cursor, read, 1, n), 0);
    assert_int_equal(cursor.at, text.length);
    assert_memory_equal(read, numbers, n * sizeof(*numbers));
    for (size_t length = 0; length < text.length; length++) { /* what is cut is noticed or wrong */
        cursor = (struct code_cursor){(const uint8_t *)text.data, length, 0};
        (void)code_read_column(&cursor, read, 1, n);
        assert_true(cursor.at <= length);
    }
}

static void column__of_extreme_numbers_comes_back(void **state)
{
    static const uint64_t extreme[] = {
        0, UINT64_MAX, 0, 1, UINT64_MAX - 1, UINT64_MAX / 2, UINT64_MAX / 2 + 1, 0, 0, 0, 1, 2, 3};

    (void)state;
    for (size_t n = 1; n <= ARRAY_SIZE(extreme); n++)
        check(extreme, n);
}

static void column__of_random_numbers_comes_back(void **state)
{
    uint64_t numbers[300], seed = 88172645463325252;

    (void)state;
    for (unsigned bits = 1; bits <= 64; bits++) {
        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            numbers[i] = (i > 0 ? numbers[i - 1] : 0) + (seed >> (64 - bits));
        }
        check(numbers, ARRAY_SIZE(numbers));
    }
}

static void column__that_grows_evenly_takes_a_bit_for_each_number(void **state)
{
    uint64_t numbers[800];
    AUTO_TEXT struct text text = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        numbers[i] = 123456789 + i * 1000003;
    code_append_column(&text, numbers, 1, ARRAY_SIZE(numbers));
    assert_in_range(text.length, ARRAY_SIZE(numbers) / 8, ARRAY_SIZE(numbers) / 8 + 16);
}

static void column__with_a_wrong_parameter_is_refused(void **state)
{
    static const uint8_t bytes[] = {1, 2, 63, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    struct code_cursor cursor = {bytes, sizeof(bytes), 0};
    uint64_t numbers[3];

    (void)state;
    assert_int_equal(code_read_column(&cursor, numbers, 1, 3), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(column__of_extreme_numbers_comes_back),
        cmocka_unit_test(column__of_random_numbers_comes_back),
        cmocka_unit_test(column__that_grows_evenly_takes_a_bit_for_each_number),
        cmocka_unit_test(column__with_a_wrong_parameter_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
