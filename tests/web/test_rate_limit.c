/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "base/clock.h"
#include "web/rate_limit.h"

#define SECOND NS_PER_SECOND

static unsigned taken(struct rate_limit *limit, uint64_t burst, uint64_t now_ns)
{
    unsigned n = 0;

    while (n < 1000 && rate_limit_take(limit, SECOND, burst, now_ns))
        n++;
    return n;
}

static void a_full_bucket__gives_its_burst_and_then_one_in_each_interval(void **state)
{
    struct rate_limit limit = {0};

    (void)state;
    assert_int_equal(taken(&limit, 5, 100 * SECOND), 5);
    assert_int_equal(taken(&limit, 5, 100 * SECOND + SECOND - 1), 0);
    assert_int_equal(taken(&limit, 5, 101 * SECOND), 1);
    assert_int_equal(taken(&limit, 5, 104 * SECOND), 3);
    assert_int_equal(taken(&limit, 5, 1000 * SECOND), 5);
}

static void another_burst_or_interval__holds_at_once(void **state)
{
    struct rate_limit limit = {0};

    (void)state;
    assert_int_equal(taken(&limit, 2, 100 * SECOND), 2);
    assert_int_equal(taken(&limit, 4, 100 * SECOND), 2);
    assert_true(rate_limit_take(&limit, 1, 1, 200 * SECOND));
}

static void numbers_that_are_too_large__are_no_limit_and_do_not_wrap(void **state)
{
    struct rate_limit limit = {0};

    (void)state;
    for (unsigned i = 0; i < 100; i++)
        assert_true(rate_limit_take(&limit, SECOND, UINT64_MAX, SECOND));
    limit = (struct rate_limit){0};
    assert_true(rate_limit_take(&limit, UINT64_MAX - SECOND, 1, SECOND));
    assert_false(rate_limit_take(&limit, UINT64_MAX - SECOND, 1, 2 * SECOND));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_bucket__gives_its_burst_and_then_one_in_each_interval),
        cmocka_unit_test(another_burst_or_interval__holds_at_once),
        cmocka_unit_test(numbers_that_are_too_large__are_no_limit_and_do_not_wrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
