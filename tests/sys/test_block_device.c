/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/block_device.h"

#include "support/check.h"

#include <sys/sysmacros.h>

#include "support/fixture_tree.h"

/* What is read of the device 259:3 whose link in sysfs leads there; NULL: it has no link. */
static bool read_name(const char *target, char name[BLOCK_DEVICE_NAME_SIZE])
{
    struct fixture_tree sysfs = fixture_tree_open();
    bool found;

    fixture_tree_make_directories(&sysfs, "dev/block/");
    if (target)
        assert_int_equal(symlinkat(target, sysfs.fd, "dev/block/259:3"), 0);
    found = block_device_read_name(sysfs.fd, makedev(259, 3), name);
    fixture_tree_close(&sysfs);
    return found;
}

static void read_name__is_the_last_part_of_the_link(void **state)
{
    char name[BLOCK_DEVICE_NAME_SIZE];

    (void)state;
    assert_true(read_name("../../devices/pci0000:00/0000:00:04.0/nvme/nvme0/nvme0n1", name));
    assert_string_equal(name, "nvme0n1");
    assert_true(read_name("nvme0n1", name));
    assert_string_equal(name, "nvme0n1");
}

static void read_name__has_slashes_for_exclamation_marks(void **state)
{
    char name[BLOCK_DEVICE_NAME_SIZE];

    (void)state;
    assert_true(read_name("../../devices/virtual/block/a!b!c0d0", name));
    assert_string_equal(name, "a/b/c0d0");
}

static void read_name__of_a_device_that_has_gone_is_its_number(void **state)
{
    char name[BLOCK_DEVICE_NAME_SIZE];

    (void)state;
    assert_false(read_name(NULL, name));
    assert_string_equal(name, "259:3");
    assert_false(read_name("../../devices/virtual/block/", name));
    assert_string_equal(name, "259:3");
}

static void read_name__keeps_any_byte_and_its_bound(void **state)
{
    char longest[BLOCK_DEVICE_NAME_SIZE + 1], name[BLOCK_DEVICE_NAME_SIZE];

    (void)state;
    assert_true(read_name("../a\n\"\xff", name));
    assert_string_equal(name, "a\n\"\xff");
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    assert_false(read_name(longest, name));
    assert_string_equal(name, "259:3");
    longest[BLOCK_DEVICE_NAME_SIZE - 1] = '\0';
    assert_true(read_name(longest, name));
    assert_string_equal(name, longest);
}

static void read_name__knows_numbers_of_any_size(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    char name[BLOCK_DEVICE_NAME_SIZE];

    (void)state;
    assert_false(block_device_read_name(sysfs.fd, makedev(4095, 1048575), name));
    assert_string_equal(name, "4095:1048575");
    fixture_tree_close(&sysfs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_name__is_the_last_part_of_the_link),
        cmocka_unit_test(read_name__has_slashes_for_exclamation_marks),
        cmocka_unit_test(read_name__of_a_device_that_has_gone_is_its_number),
        cmocka_unit_test(read_name__keeps_any_byte_and_its_bound),
        cmocka_unit_test(read_name__knows_numbers_of_any_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
