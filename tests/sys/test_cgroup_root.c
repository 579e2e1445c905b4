/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "support/fixture_tree.h"
#include "support/refused_call.h"
#include "sys/cgroup_mounts.h"
#include "sys/cgroup_root.h"

static const char *const hybrid = "/sys/fs/cgroup/unified";

static bool is_file_system(const char *path, unsigned long magic)
{
    struct statfs status;

    return statfs(path, &status) == 0 && (unsigned long)status.f_type == magic;
}

static void root__is_found_where_cgroups_are_mounted(void **state)
{
    struct cgroup_root root = {.fd = -1};
    struct statfs status;
    int r = cgroup_root_open(NULL, &root);

    (void)state;
    if (r == -ENOENT) {
        print_message("skipped: no cgroup file system that counts here\n");
        skip();
    }
    assert_int_equal(r, 0);
    assert_int_equal(fstatfs(root.fd, &status), 0);
    assert_int_equal(status.f_type, root.v2 ? CGROUP2_SUPER_MAGIC : CGROUP_SUPER_MAGIC);
    assert_true(is_file_system(root.path, root.v2 ? CGROUP2_SUPER_MAGIC : CGROUP_SUPER_MAGIC));
    cgroup_root_done(&root);
    assert_int_equal(root.fd, -1);
    assert_null(root.path);
    cgroup_root_done(&root);
}

static void root__the_given_directory_or_its_unified_is_taken(void **state)
{
    struct cgroup_root root = {.fd = -1};

    (void)state;
    if (!is_file_system(hybrid, CGROUP2_SUPER_MAGIC)) {
        print_message("skipped: no hybrid hierarchy here\n");
        skip();
    }
    assert_int_equal(cgroup_root_open(hybrid, &root), 0);
    assert_string_equal(root.path, hybrid);
    assert_true(root.v2);
    cgroup_root_done(&root);
    if (is_file_system("/sys/fs/cgroup/perf_event", CGROUP_SUPER_MAGIC))
        return;
    assert_int_equal(cgroup_root_open("/sys/fs/cgroup", &root), 0);
    assert_string_equal(root.path, hybrid);
    cgroup_root_done(&root);
}

static void root__a_v1_hierarchy_that_is_given_is_taken(void **state)
{
    struct cgroup_root root = {.fd = -1};

    (void)state;
    if (!is_file_system("/sys/fs/cgroup/cpu", CGROUP_SUPER_MAGIC)) {
        print_message("skipped: no v1 hierarchy here\n");
        skip();
    }
    assert_int_equal(cgroup_root_open("/sys/fs/cgroup/cpu", &root), 0);
    assert_false(root.v2);
    cgroup_root_done(&root);
}

static void root__what_is_no_cgroup_file_system_is_refused(void **state)
{
    static const char *const paths[] = {"/proc", "/nowhere", "/dev/null", "/etc/passwd"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        struct cgroup_root root = {.fd = -7};

        assert_int_equal(cgroup_root_open(paths[i], &root), -ENOENT);
        assert_int_equal(root.fd, -7);
    }
}

/* Makes a/b, and links that lead out of the tree. */
static int setup(void **state)
{
    static struct fixture_tree tree;

    tree = fixture_tree_open();
    *state = &tree;
    fixture_tree_make_directories(&tree, "a/b/");
    fixture_tree_write(&tree, "file", "");
    return symlinkat("/", tree.fd, "out") || symlinkat("a", tree.fd, "in");
}

static int teardown(void **state)
{
    fixture_tree_close(*state);
    return 0;
}

static void assert_opens(const struct fixture_tree *tree, const char *relative, const char *same_as)
{
    AUTO_CLOSE int fd = cgroup_open_below(tree->fd, relative);
    struct stat opened, wanted;

    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &opened), 0);
    assert_int_equal(fstatat(tree->fd, same_as, &wanted, 0), 0);
    assert_int_equal(opened.st_ino, wanted.st_ino);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
}

static void open_below__opens_what_is_below(void **state)
{
    assert_opens(*state, ".", ".");
    assert_opens(*state, "a", "a");
    assert_opens(*state, "a/b", "a/b");
}

static void open_below__never_leaves_the_directory_nor_follows_a_link(void **state)
{
    static const struct {
        const char *path;
        int error;
    } cases[] = {
        {"..", -EXDEV},      {"a/../..", -EXDEV}, {"/", -EXDEV},      {"out", -ELOOP},
        {"in", -ELOOP},      {"in/b", -ELOOP},    {"file", -ENOTDIR}, {"none", -ENOENT},
        {"a/none", -ENOENT}, {"", -ENOENT},
    };
    const struct fixture_tree *tree = *state;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_int_equal(cgroup_open_below(tree->fd, cases[i].path), cases[i].error);
}

static void open_below__does_not_cross_a_mount(void **state)
{
    AUTO_CLOSE int slash = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    (void)state;
    assert_int_equal(cgroup_open_below(slash, "proc"), -EXDEV);
}

static void open_below__takes_paths_longer_than_path_max(void **state)
{
    const struct fixture_tree *tree = *state;
    char path[2 * 5000 + 1] = "";

    for (size_t i = 0; i + 2 < sizeof(path); i += 2)
        memcpy(path + i, "./", 3);
    strcpy(path + sizeof(path) - 3, "a");
    assert_opens(tree, path, "a");
    memset(path, 'n', sizeof(path) - 1);
    assert_int_equal(cgroup_open_below(tree->fd, path), -ENAMETOOLONG);
    path[4095] = '/';
    assert_int_equal(cgroup_open_below(tree->fd, path), -ENAMETOOLONG);
}

/* The directory of a removed cgroup can still be open, and has no files any more. */
static void removed__is_recognized_by_the_missing_files(void **state)
{
    const struct fixture_tree *tree = *state;
    AUTO_CLOSE int fd = cgroup_open_below(tree->fd, "a/b");

    assert_int_equal(mknodat(fd, "cgroup.procs", S_IFREG | 0600, 0), 0);
    assert_false(cgroup_is_removed(fd));
    assert_int_equal(unlinkat(fd, "cgroup.procs", 0), 0);
    assert_true(cgroup_is_removed(fd));
    assert_int_equal(unlinkat(tree->fd, "a/b", AT_REMOVEDIR), 0);
    assert_true(cgroup_is_removed(fd));
}

static void removed__is_not_what_cannot_be_looked_into(void **state)
{
    (void)state;
    assert_false(cgroup_is_removed(-1));
}

static void hierarchy__is_read_from_the_line_of_the_controller(void **state)
{
    static const char text[] = "#subsys_name\thierarchy\tnum_cgroups\tenabled\n"
                               "cpu\t1\t7\t1\nperf_event\t10\t3\t1\nperf\t4\t1\t1\n";

    (void)state;
    assert_int_equal(cgroup_parse_hierarchy(text, "perf_event"), 10);
    assert_int_equal(cgroup_parse_hierarchy(text, "perf"), 4);
    assert_int_equal(cgroup_parse_hierarchy(text, "cpu"), 1);
    assert_int_equal(cgroup_parse_hierarchy(text, "memory"), -ENOENT);
    assert_int_equal(cgroup_parse_hierarchy("", "cpu"), -ENOENT);
    assert_int_equal(cgroup_parse_hierarchy("cpu\tx\t1\t1\n", "cpu"), -EINVAL);
    assert_int_equal(cgroup_parse_hierarchy("cpu\t99999999999\t1\t1\n", "cpu"), -EINVAL);
    assert_int_equal(cgroup_parse_hierarchy("cpu\t-1\t1\t1\n", "cpu"), -EINVAL);
    assert_int_equal(cgroup_parse_hierarchy("cpu\t1", "cpu"), -EINVAL);
    assert_int_equal(cgroup_parse_hierarchy("cpu\t00000000000000000000001\t", "cpu"), -EINVAL);
}

static void mounts__of_v2_and_of_v1_with_the_controller_are_found(void **state)
{
    static char text[] = "proc /proc proc rw 0 0\n"
                         "cgroup /cpu cgroup rw,cpu,cpuacct 0 0\n"
                         "cgroup /named cgroup rw,name=perf_event 0 0\n"
                         "cgroup /with\\040space cgroup rw,nosuid,perf_event 0 0\n"
                         "what is this\n\n"
                         "cgroup2 relative cgroup2 rw 0 0\n"
                         "cgroup2 /unified cgroup2 rw,nsdelegate 0 0";
    static char buffer[CGROUP_MOUNT_SIZE];
    FILE *mounts = fmemopen(text, strlen(text), "r");
    struct cgroup_mount mount;

    (void)state;
    assert_non_null(mounts);
    assert_true(cgroup_mount_next(mounts, "perf_event", buffer, &mount));
    assert_string_equal(mount.path, "/with space");
    assert_false(mount.v2);
    assert_true(cgroup_mount_next(mounts, "perf_event", buffer, &mount));
    assert_string_equal(mount.path, "/unified");
    assert_true(mount.v2);
    assert_false(cgroup_mount_next(mounts, "perf_event", buffer, &mount));
    (void)fclose(mounts);
}

static void open_below__needs_no_openat2(void **state)
{
    struct open_how how = {0};

    (void)state;
    refuse_call(SYS_openat2, ENOSYS); /* as by the filter of RestrictSUIDSGID= */
    assert_int_equal(syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof(how)), -1);
    assert_int_equal(errno, ENOSYS);
}

#define OPEN_BELOW_TESTS                                                                           \
    cmocka_unit_test_setup_teardown(open_below__opens_what_is_below, setup, teardown),             \
        cmocka_unit_test_setup_teardown(open_below__never_leaves_the_directory_nor_follows_a_link, \
                                        setup, teardown),                                          \
        cmocka_unit_test(open_below__does_not_cross_a_mount),                                      \
        cmocka_unit_test_setup_teardown(open_below__takes_paths_longer_than_path_max, setup,       \
                                        teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hierarchy__is_read_from_the_line_of_the_controller),
        cmocka_unit_test(mounts__of_v2_and_of_v1_with_the_controller_are_found),
        cmocka_unit_test(root__is_found_where_cgroups_are_mounted),
        cmocka_unit_test(root__the_given_directory_or_its_unified_is_taken),
        cmocka_unit_test(root__a_v1_hierarchy_that_is_given_is_taken),
        cmocka_unit_test(root__what_is_no_cgroup_file_system_is_refused),
        OPEN_BELOW_TESTS,
        cmocka_unit_test_setup_teardown(removed__is_recognized_by_the_missing_files, setup,
                                        teardown),
        cmocka_unit_test(removed__is_not_what_cannot_be_looked_into),
        cmocka_unit_test(open_below__needs_no_openat2),
        OPEN_BELOW_TESTS,
    };

    return cmocka_run_group_tests_name("cgroup_root", tests, NULL, NULL);
}
