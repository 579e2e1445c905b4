/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/system_call.h"

#include "support/check.h"

#include <string.h>
#include <sys/syscall.h>

static void name__is_that_of_the_headers(void **state)
{
    (void)state;
    assert_string_equal(system_call_name(SYS_openat), "openat");
    assert_string_equal(system_call_name(SYS_getppid), "getppid");
    assert_string_equal(system_call_name(SYS_fcntl), "fcntl");
    assert_string_equal(system_call_name(SYS_clone3), "clone3");
    assert_string_equal(system_call_name(SYS_exit_group), "exit_group");
}

static void number__that_is_no_call_has_no_name(void **state)
{
    (void)state;
    assert_null(system_call_name(420)); /* left free since the numbers were made the same for all */
    assert_null(system_call_name(1000));
    assert_null(system_call_name(UINT32_MAX));
}

static void name__belongs_to_one_number(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        for (unsigned j = 0; j < i && system_call_name(i); j++)
            if (system_call_name(j))
                assert_string_not_equal(system_call_name(i), system_call_name(j));
}

static void number__is_found_by_its_name(void **state)
{
    (void)state;
    assert_int_equal(system_call_number("getppid"), SYS_getppid);
    assert_int_equal(system_call_number("futex"), SYS_futex);
    assert_int_equal(system_call_number("getpp"), -1);
    assert_int_equal(system_call_number("getppidx"), -1);
    assert_int_equal(system_call_number(""), -1);
}

static void calls__that_wait_are_told_from_those_that_work(void **state)
{
    (void)state;
    assert_true(system_call_waits(SYS_futex));
    assert_true(system_call_waits(SYS_epoll_pwait));
    assert_true(system_call_waits(SYS_clock_nanosleep));
    assert_true(system_call_waits(SYS_wait4));
    assert_false(system_call_waits(SYS_read));
    assert_false(system_call_waits(SYS_fsync));
    assert_false(system_call_waits(UINT32_MAX));
}

static void calls__that_end_elsewhere_are_told(void **state)
{
    (void)state;
    assert_false(system_call_returns(SYS_exit));
    assert_false(system_call_returns(SYS_exit_group));
    assert_false(system_call_returns(SYS_rt_sigreturn));
    assert_true(system_call_returns(SYS_execve));
    assert_true(system_call_returns(SYS_getppid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name__is_that_of_the_headers),
        cmocka_unit_test(number__that_is_no_call_has_no_name),
        cmocka_unit_test(name__belongs_to_one_number),
        cmocka_unit_test(number__is_found_by_its_name),
        cmocka_unit_test(calls__that_wait_are_told_from_those_that_work),
        cmocka_unit_test(calls__that_end_elsewhere_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
