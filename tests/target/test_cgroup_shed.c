/* SPDX-License-Identifier: Apache-2.0 */
#include "target/cgroup_fixture.h"

/* Makes n directories; their names are `path` with a number behind it. */
static void make_many(struct fixture *f, const char *path, int n)
{
    for (int i = 0; i < n; i++) {
        char name[128];

        (void)snprintf(name, sizeof(name), "%s%d", path, i);
        make(f, name);
    }
}

static void shed__are_the_newest_of_who_has_most_and_come_back(void **state)
{
    struct fixture *f = *state;
    const struct cgroup_limits low = {4, 3, ABSENCE_NO_MEMORY}, high = {20, 15, ABSENCE_OVER_LIMIT};

    rule(f, "/*/*", NULL);
    make(f, "/other");
    make(f, "/other/old");
    start(f, high);
    update(f);
    make(f, "/many");
    make_many(f, "/many/x", 6);
    update(f);
    assert_int_equal(census(f)->standing, 7);
    cgroup_targets_set_limits(f->set, &low);
    update(f);
    assert_news(f, 0, 3);
    for (size_t i = 0; i < f->changes.n_gone; i++) {
        struct cgroup_target *target = f->changes.gone[i];

        assert_true(target->gone && target->shed);
        assert_true(target->path[1] == 'm');
        cgroup_targets_release(f->set, target);
    }
    assert_int_equal(census(f)->uncounted[ABSENCE_NO_MEMORY], 3);
    assert_int_equal(census(f)->dropped[ABSENCE_NO_MEMORY], 3);
    update(f);
    assert_news(f, 0, 0);
    cgroup_targets_set_limits(f->set, &high);
    assert_int_equal(census(f)->uncounted[ABSENCE_NO_MEMORY], 0);
    update(f);
    assert_news(f, 3, 0);
    assert_int_equal(census(f)->standing, 7);
}

static void shed__limits_that_are_given_out_in_steps_are_waited_for(void **state)
{
    struct fixture *f = *state;
    struct cgroup_limits limits = {20, 20, ABSENCE_OVER_LIMIT, 2};

    rule(f, "/*", NULL);
    make_many(f, "/a", 5);
    start(f, limits);
    update(f);
    assert_news(f, 2, 0);
    assert_int_equal(census(f)->uncounted[ABSENCE_NO_MEMORY], 3);
    update(f);
    assert_news(f, 0, 0);
    limits.until_next = 4;
    cgroup_targets_set_limits(f->set, &limits);
    update(f);
    assert_news(f, 2, 0);
    assert_int_equal(census(f)->uncounted[ABSENCE_NO_MEMORY], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
        TEST(shed__are_the_newest_of_who_has_most_and_come_back),
        TEST(shed__limits_that_are_given_out_in_steps_are_waited_for),
    };

    if (fixture_is_missing())
        return 77;
    return cmocka_run_group_tests_name("cgroup_shed", tests, NULL, NULL);
}
