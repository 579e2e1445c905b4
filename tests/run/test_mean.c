/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "run/mean.h"

static struct mean mean_of(const double *values, size_t n)
{
    struct mean mean = {0};

    for (size_t i = 0; i < n; i++)
        mean_add(&mean, values[i]);
    return mean;
}

static void the_error_is_the_standard_deviation_of_the_mean(void **state)
{
    /* The variance is 10, and that of the mean 10 / 5. */
    const struct mean mean = mean_of((const double[]){6, 8, 10, 12, 14}, 5);

    (void)state;
    assert_float_equal(mean.mean, 10, 1e-12);
    assert_float_equal(mean_deviation(&mean), 1.4142135623730951, 1e-12);
    assert_float_equal(mean_percent(&mean), 14.142135623730951, 1e-12);
}

static void great_numbers_lose_no_digits(void **state)
{
    const struct mean mean = mean_of((const double[]){1e15 + 1, 1e15 + 3}, 2);

    (void)state;
    assert_float_equal(mean.mean, 1e15 + 2, 0.01);
    assert_float_equal(mean_deviation(&mean), 1, 0.01);
}

static void one_run_and_a_mean_of_0_have_no_error(void **state)
{
    const struct mean none = {0}, one = mean_of((const double[]){5}, 1);
    const struct mean zero = mean_of((const double[]){-1, 1}, 2);

    (void)state;
    assert_float_equal(mean_deviation(&none), 0, 0);
    assert_float_equal(mean_percent(&one), 0, 0);
    assert_float_equal(mean_percent(&zero), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_is_the_standard_deviation_of_the_mean),
        cmocka_unit_test(great_numbers_lose_no_digits),
        cmocka_unit_test(one_run_and_a_mean_of_0_have_no_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
