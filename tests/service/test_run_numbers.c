/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "base/cleanup.h"
#include "service/run_numbers.h"

static void what_was_added_is_there_and_nothing_beside_it(void **state)
{
    static const uint64_t added[] = {7, 1, 3, 3, 1767225600000, 2, 1, 9, 8};
    struct run_numbers numbers = {0};

    (void)state;
    assert_false(run_numbers_have(&numbers, 0));
    assert_false(run_numbers_have(&numbers, 1));
    for (size_t i = 0; i < ARRAY_SIZE(added); i++)
        run_numbers_add(&numbers, added[i]);
    for (uint64_t number = 0; number < 20; number++)
        assert_int_equal(run_numbers_have(&numbers, number),
                         (number >= 1 && number <= 3) || (number >= 7 && number <= 9));
    assert_true(run_numbers_have(&numbers, 1767225600000));
    assert_false(run_numbers_have(&numbers, 1767225600001));
    assert_false(run_numbers_have(&numbers, UINT64_MAX));
    run_numbers_done(&numbers);
}

static void numbers_that_follow_each_other_take_no_more_room_in_any_order(void **state)
{
    struct run_numbers numbers = {0};

    (void)state;
    for (uint64_t number = 1; number < 1000; number += 2)
        run_numbers_add(&numbers, number);
    assert_int_equal(numbers.n, 500);
    for (uint64_t number = 1000; number > 0; number -= 2)
        run_numbers_add(&numbers, number);
    assert_int_equal(numbers.n, 1);
    assert_int_equal(numbers.spans[0].first, 1);
    assert_int_equal(numbers.spans[0].last, 1000);
    run_numbers_done(&numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_there_and_nothing_beside_it),
        cmocka_unit_test(numbers_that_follow_each_other_take_no_more_room_in_any_order),
    };

    return cmocka_run_group_tests_name("run_numbers", tests, NULL, NULL);
}
