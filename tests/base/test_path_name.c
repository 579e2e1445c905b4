/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "base/path_name.h"

static void names__come_one_after_the_other_without_slashes(void **state)
{
    const char *path = "//a/bc///d/";
    char name[NAME_MAX + 1];

    (void)state;
    assert_int_equal(path_take_name(&path, name), 1);
    assert_string_equal(name, "a");
    assert_string_equal(path, "bc///d/");
    assert_int_equal(path_take_name(&path, name), 2);
    assert_string_equal(name, "bc");
    assert_int_equal(path_take_name(&path, name), 1);
    assert_string_equal(name, "d");
    assert_string_equal(path, "");
    assert_int_equal(path_take_name(&path, name), 0);
    path = "///";
    assert_int_equal(path_take_name(&path, name), 0);
    assert_string_equal(path, "");
}

static void name__that_is_longer_than_the_kernel_takes__is_refused(void **state)
{
    char path_bytes[NAME_MAX + 4], name[NAME_MAX + 1];
    const char *path = path_bytes;

    (void)state;
    memset(path_bytes, 'x', sizeof(path_bytes));
    path_bytes[NAME_MAX] = '/';
    path_bytes[NAME_MAX + 1] = '\0';
    assert_int_equal(path_take_name(&path, name), NAME_MAX);
    path = path_bytes;
    path_bytes[NAME_MAX] = 'x';
    assert_int_equal(path_take_name(&path, name), -ENAMETOOLONG);
    assert_ptr_equal(path, path_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names__come_one_after_the_other_without_slashes),
        cmocka_unit_test(name__that_is_longer_than_the_kernel_takes__is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
