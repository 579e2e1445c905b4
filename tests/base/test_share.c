/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <stdint.h>

#include "base/share.h"

static void share__of_one_is_three_quarters(void **state)
{
    (void)state;
    assert_int_equal(share_of_one(1000), 750);
    assert_int_equal(share_of_one(share_of_one(1600)), 900);
    assert_int_equal(share_of_one(SIZE_MAX), SIZE_MAX - SIZE_MAX / 4);
}

static void share__of_a_small_limit_leaves_one_to_take(void **state)
{
    (void)state;
    assert_int_equal(share_of_one(0), 0);
    assert_int_equal(share_of_one(1), 1);
    assert_int_equal(share_of_one(3), 3);
    assert_int_equal(share_of_one(4), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(share__of_one_is_three_quarters),
        cmocka_unit_test(share__of_a_small_limit_leaves_one_to_take),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
