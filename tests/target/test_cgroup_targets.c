/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup_fixture.h"

static void targets__those_that_stand_at_the_start_are_born_in_the_first_update(void **state)
{
    struct fixture *f = *state;

    rule(f, "/system.slice/*.service", "/system.slice/b.service");
    make(f, "/system.slice");
    make(f, "/system.slice/a.service");
    make(f, "/system.slice/b.service");
    make(f, "/user.slice");
    start(f, roomy);
    assert_int_equal(cgroup_targets_count(f->set), 0);
    update(f);
    assert_news(f, 1, 0);
    assert_true(f->changes.identities_changed);
    assert_non_null(born(f, "/system.slice/a.service"));
    assert_int_equal(cgroup_targets_count(f->set), 1);
    assert_int_equal(census(f)->standing, 1);
    assert_int_equal(census(f)->rescans, 1);
    assert_true(census(f)->watching);
    update(f);
    assert_news(f, 0, 0);
    assert_false(f->changes.identities_changed);
    assert_int_equal(census(f)->rescans, 1);
}

static void targets__a_target_has_the_directory_and_its_inode(void **state)
{
    struct fixture *f = *state;
    struct cgroup_target *target;
    struct stat by_path, by_fd;

    rule(f, "/*", NULL);
    make(f, "/a");
    start(f, roomy);
    update(f);
    target = born(f, "/a");
    assert_non_null(target);
    assert_int_equal(fstatat(f->root_fd, "a", &by_path, 0), 0);
    assert_int_equal(fstat(target->fd, &by_fd), 0);
    assert_int_equal(by_fd.st_ino, by_path.st_ino);
    assert_int_equal(target->inode, by_path.st_ino);
    assert_int_equal(target->rule, 0);
    assert_true(target->start_realtime_ns > 0);
    assert_false(target->gone);
}

static void targets__births_and_deaths_are_told_by_inotify(void **state)
{
    struct fixture *f = *state;
    struct cgroup_target *target;

    rule(f, "/a/**", NULL);
    start(f, roomy);
    update(f);
    make(f, "/a");
    make(f, "/a/b");
    make(f, "/a/b/c");
    update(f);
    assert_news(f, 2, 0);
    target = born(f, "/a/b/c");
    assert_non_null(target);
    destroy(f, "/a/b/c");
    update(f);
    assert_news(f, 0, 1);
    assert_ptr_equal(gone(f, "/a/b/c"), target);
    assert_true(target->gone);
    assert_true(target->fd >= 0);
    assert_int_equal(cgroup_targets_count(f->set), 2);
    assert_int_equal(census(f)->standing, 1);
    cgroup_target_close_fd(target);
    assert_int_equal(target->fd, -1);
    cgroup_targets_release(f->set, target);
    assert_int_equal(cgroup_targets_count(f->set), 1);
    assert_int_equal(census(f)->rescans, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
        TEST(targets__those_that_stand_at_the_start_are_born_in_the_first_update),
        TEST(targets__a_target_has_the_directory_and_its_inode),
        TEST(targets__births_and_deaths_are_told_by_inotify),
    };

    return cmocka_run_group_tests_name("cgroup_targets", tests, NULL, NULL);
}
