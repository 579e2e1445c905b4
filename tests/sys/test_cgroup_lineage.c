/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/cgroup_lineage.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"

/* Any file system with directories will do: /proc is a mount of its own. */

static void read__is_of_the_root_of_the_mount_alone_at_the_root(void **state)
{
    AUTO_CLOSE int fd = open("/proc", O_RDONLY | O_DIRECTORY);
    AUTO(cgroup_lineage) struct cgroup_lineage *lineage = NULL;
    struct stat status;

    (void)state;
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(cgroup_lineage_read(fd, &lineage), 0);
    assert_int_equal(lineage->n, 1);
    assert_int_equal(cgroup_lineage_id(lineage), status.st_ino);
}

static void read__has_the_root_first_and_itself_last(void **state)
{
    AUTO_CLOSE int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
    AUTO(cgroup_lineage) struct cgroup_lineage *lineage = NULL;
    struct stat root, process, task;

    (void)state;
    assert_int_equal(stat("/proc", &root), 0);
    assert_int_equal(stat("/proc/self/.", &process), 0);
    assert_int_equal(fstat(fd, &task), 0);
    assert_int_equal(cgroup_lineage_read(fd, &lineage), 0);
    assert_int_equal(lineage->n, 3);
    assert_int_equal(lineage->ids[0], root.st_ino);
    assert_int_equal(lineage->ids[1], process.st_ino);
    assert_int_equal(lineage->ids[2], task.st_ino);
}

static void read__of_the_top_of_everything_ends(void **state)
{
    AUTO_CLOSE int fd = open("/", O_RDONLY | O_DIRECTORY);
    AUTO(cgroup_lineage) struct cgroup_lineage *lineage = NULL;

    (void)state;
    assert_int_equal(cgroup_lineage_read(fd, &lineage), 0);
    assert_int_equal(lineage->n, 1);
}

static void read__fails_as_the_descriptor_does(void **state)
{
    struct cgroup_lineage *lineage = NULL;

    (void)state;
    assert_int_equal(cgroup_lineage_read(-1, &lineage), -EBADF);
    assert_null(lineage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__is_of_the_root_of_the_mount_alone_at_the_root),
        cmocka_unit_test(read__has_the_root_first_and_itself_last),
        cmocka_unit_test(read__of_the_top_of_everything_ends),
        cmocka_unit_test(read__fails_as_the_descriptor_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
