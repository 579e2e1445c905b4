/* SPDX-License-Identifier: Apache-2.0 */

/* Cgroups that wait for descriptors or for room: their tenants take turns. */
#include "target/cgroup_fixture.h"

/* Makes a top-level cgroup and n below it. */
static void make_tenant(struct fixture *f, const char *path, int n)
{
    make(f, path);
    for (int i = 0; i < n; i++) {
        char name[64];

        (void)snprintf(name, sizeof(name), "%s/x%d", path, i);
        make(f, name);
    }
}

static void destroy_tenant(struct fixture *f, const char *path, int n)
{
    for (int i = 0; i < n; i++) {
        char name[64];

        (void)snprintf(name, sizeof(name), "%s/x%d", path, i);
        destroy(f, name);
    }
    destroy(f, path);
}

/* How many targets there are below it. */
static size_t counted(const struct fixture *f, const char *path)
{
    const struct counted_cgroup *each;
    size_t n = 0;

    LIST_FOREACH(each, &f->set->all, entry)
    n += strncmp(each->target.path, path, strlen(path)) == 0 && !each->target.gone;
    return n;
}

/* So many more files may be opened; their numbers are the next. */
static void set_free_descriptors(const struct fixture *f, rlim_t n)
{
    struct rlimit limit;
    int next;

    fixture_raise_descriptors();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    next = dup(f->root_fd);
    assert_true(next >= 0);
    limit.rlim_cur = (rlim_t)next + n;
    (void)close(next);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void turns__without_descriptors_one_of_each_tenant_has_the_next(void **state)
{
    struct fixture *f = *state;
    struct rlimit before;

    rule(f, "/*/*", NULL);
    start(f, roomy);
    update(f);
    make_tenant(f, "/a", 20);
    make_tenant(f, "/b", 20);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    set_free_descriptors(f, 1); /* for the directory that is read, and none for a target */
    update(f);
    update(f);
    assert_int_equal(census(f)->uncounted[ABSENCE_NO_DESCRIPTORS] + census(f)->standing, 40);
    assert_true(census(f)->standing <= 1);
    for (size_t i = 1; i <= 5; i++) {
        set_free_descriptors(f, 2);
        update(f);
        assert_true(counted(f, "/a") >= i);
        assert_true(counted(f, "/b") >= i);
    }
    assert_true(census(f)->standing <= 11);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    update(f);
    assert_int_equal(census(f)->standing, 40);
    assert_int_equal(census(f)->uncounted[ABSENCE_NO_DESCRIPTORS], 0);
}

static void turns__room_that_comes_is_for_each_tenant_that_waits(void **state)
{
    struct fixture *f = *state;
    size_t a, b;

    rule(f, "/*/*", NULL);
    start(f, (struct cgroup_limits){16, 12, ABSENCE_OVER_LIMIT});
    update(f);
    make_tenant(f, "/full", 12);
    update(f);
    make_tenant(f, "/a", 20);
    update(f);
    make_tenant(f, "/b", 20);
    update(f);
    assert_int_equal(counted(f, "/a"), 3);
    assert_int_equal(counted(f, "/b"), 1);
    destroy_tenant(f, "/full", 12);
    update(f);
    a = counted(f, "/a");
    b = counted(f, "/b");
    assert_true(a <= b + 2 && b <= a + 2);
    assert_in_range(a + b, 13, 16);
    assert_int_equal(census(f)->uncounted[ABSENCE_OVER_LIMIT], 40 - a - b);
}

static void tenants__have_numbers_of_their_own(void **state)
{
    struct fixture *f = *state;
    uint64_t a;

    rule(f, "/**", NULL);
    start(f, roomy);
    make_tenant(f, "/a", 2);
    make_tenant(f, "/b", 1);
    make(f, "/user.slice");
    make_tenant(f, "/user.slice/user-1.slice", 1);
    make_tenant(f, "/user.slice/user-2.slice", 1);
    update(f);
    a = born(f, "/a")->tenant;
    assert_int_not_equal(a, 0);
    assert_int_equal(born(f, "/a/x0")->tenant, a);
    assert_int_equal(born(f, "/a/x1")->tenant, a);
    assert_int_not_equal(born(f, "/b/x0")->tenant, a);
    assert_int_not_equal(born(f, "/user.slice/user-1.slice/x0")->tenant,
                         born(f, "/user.slice/user-2.slice/x0")->tenant);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
        TEST(turns__without_descriptors_one_of_each_tenant_has_the_next),
        TEST(turns__room_that_comes_is_for_each_tenant_that_waits),
        TEST(tenants__have_numbers_of_their_own),
    };

    if (fixture_is_missing())
        return 77;
    return cmocka_run_group_tests_name("cgroup_turns", tests, NULL, NULL);
}
