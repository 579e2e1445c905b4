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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name__is_that_of_the_headers),
        cmocka_unit_test(number__that_is_no_call_has_no_name),
        cmocka_unit_test(name__belongs_to_one_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
