/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <stdint.h>

#include "cycle/memory_share.h"

#define MIB UINT64_C(1048576)
#define ONE ((size_t)16384)

static struct memory_targets targets(uint64_t limit, uint64_t used, size_t standing)
{
    const struct memory_room room = {.limit = limit, .used = used};

    return memory_share_targets(&room, standing, ONE);
}

static void share__without_a_limit_is_everything(void **state)
{
    const struct memory_room none = {0};

    (void)state;
    assert_true(targets(0, 0, 5).now == SIZE_MAX && targets(0, 0, 5).all == SIZE_MAX);
    assert_true(memory_share_of_part(&none) == SIZE_MAX);
    assert_false(memory_share_is_used_up(&none));
}

static void share__gives_out_half_of_what_is_beyond_a_quarter(void **state)
{
    (void)state;
    assert_int_equal(targets(20 * MIB, 5 * MIB, 10).now, 10 + 320);
    assert_int_equal(targets(20 * MIB, 5 * MIB, 10).all, 10 + 640);
}

static void share__stands_while_most_of_the_reserve_is_left(void **state)
{
    (void)state;
    for (uint64_t used = 15 * MIB; used < 16 * MIB; used += MIB / 8)
        assert_true(targets(20 * MIB, used, 10).now == 10 && targets(20 * MIB, used, 10).all == 10);
}

static void share__sheds_as_many_as_are_missing(void **state)
{
    (void)state;
    assert_int_equal(targets(20 * MIB, 17 * MIB, 100).now, 100 - 48 - 1);
    assert_int_equal(targets(20 * MIB, 17 * MIB, 100).all, 100 - 48 - 1);
    assert_int_equal(targets(20 * MIB, 17 * MIB, 3).all, 0);
    assert_int_equal(targets(20 * MIB, 40 * MIB, 10).all, 0);
}

static void share__has_a_reserve_of_64_mib_at_most(void **state)
{
    (void)state;
    assert_int_equal(targets(1024 * MIB, 960 * MIB - 1600 * ONE, 0).all, 1600);
}

static void share__of_the_reserve_is_used_up_near_the_limit(void **state)
{
    const struct memory_room low = {20 * MIB, 19 * MIB}, lower = {20 * MIB, 19 * MIB - MIB / 2};

    (void)state;
    assert_true(memory_share_is_used_up(&low));
    assert_false(memory_share_is_used_up(&lower));
    assert_int_equal(memory_share_of_part(&low), 20 * MIB / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(share__without_a_limit_is_everything),
        cmocka_unit_test(share__gives_out_half_of_what_is_beyond_a_quarter),
        cmocka_unit_test(share__stands_while_most_of_the_reserve_is_left),
        cmocka_unit_test(share__sheds_as_many_as_are_missing),
        cmocka_unit_test(share__has_a_reserve_of_64_mib_at_most),
        cmocka_unit_test(share__of_the_reserve_is_used_up_near_the_limit),
    };

    return cmocka_run_group_tests_name("memory_share", tests, NULL, NULL);
}
