/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/cgroup_usage.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void usage__is_the_line_of_that_key(void **state)
{
    uint64_t usec = 7;

    (void)state;
    assert_int_equal(cgroup_usage_parse("usage_usec 12\nuser_usec 5\n", &usec), 0);
    assert_int_equal(usec, 12);
    assert_int_equal(
        cgroup_usage_parse("core.usage_usec 1\nusage_usec 18446744073709551615", &usec), 0);
    assert_true(usec == UINT64_MAX);
}

static void usage__that_is_not_there_is_an_error(void **state)
{
    uint64_t usec = 7;

    (void)state;
    assert_int_equal(cgroup_usage_parse("", &usec), -EINVAL);
    assert_int_equal(cgroup_usage_parse("user_usec 5\n", &usec), -EINVAL);
    assert_int_equal(cgroup_usage_parse("usage_usec \n", &usec), -EINVAL);
    assert_int_equal(cgroup_usage_parse("usage_usec -1\n", &usec), -EINVAL);
    assert_int_equal(cgroup_usage_parse("usage_usec 18446744073709551616\n", &usec), -ERANGE);
    assert_int_equal(usec, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage__is_the_line_of_that_key),
        cmocka_unit_test(usage__that_is_not_there_is_an_error),
    };

    return cmocka_run_group_tests_name("cgroup_usage", tests, NULL, NULL);
}
