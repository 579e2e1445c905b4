/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "support/fixture_tree.h"
#include "sys/tracefs.h"

static bool has(int fd, const char *path)
{
    return faccessat(fd, path, F_OK, 0) == 0;
}

static void open__takes_what_is_mounted_and_the_newer_place_first(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();

    (void)state;
    fixture_tree_write(&sysfs, "kernel/debug/tracing/events/old/id", "1");
    {
        AUTO_CLOSE int fd = tracefs_open(sysfs.fd);

        assert_true(fd >= 0 && has(fd, "events/old/id"));
    }
    /* a mount point at which nothing is mounted */
    fixture_tree_make_directories(&sysfs, "kernel/tracing/");
    {
        AUTO_CLOSE int fd = tracefs_open(sysfs.fd);

        assert_true(fd >= 0 && has(fd, "events/old/id"));
    }
    fixture_tree_write(&sysfs, "kernel/tracing/events/new/id", "2");
    {
        AUTO_CLOSE int fd = tracefs_open(sysfs.fd);

        assert_true(fd >= 0 && has(fd, "events/new/id"));
    }
    fixture_tree_close(&sysfs);
}

static void open__tells_that_it_is_not_mounted(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();

    (void)state;
    assert_int_equal(tracefs_open(sysfs.fd), -ENOENT);
    assert_int_equal(tracefs_open(-1), -ENOENT);
    fixture_tree_close(&sysfs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open__takes_what_is_mounted_and_the_newer_place_first),
        cmocka_unit_test(open__tells_that_it_is_not_mounted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
