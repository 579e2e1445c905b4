/* SPDX-License-Identifier: Apache-2.0 */
#include "support/failing_memory.h"
#include "target/cgroup_fixture.h"

/*
 * Each allocation is made to fail in turn (the linker wraps it by --wrap). The update says so, and
 * the next one brings everything up to date. Each birth and each end is reported exactly once.
 */

/* Updates while the Nth allocation fails, then without failures. Counts the births and ends
 * reported. */
static bool update_with_failure(struct fixture *f, unsigned n, size_t *n_born, size_t *n_gone)
{
    bool failed;
    int r;

    allocations = 0;
    failing = n;
    r = cgroup_targets_update(f->set, true, &f->changes);
    failed = failing <= allocations;
    failing = 0;
    assert_true(r == 0 || (failed && r == -ENOMEM));
    for (int round = 0; round < 2; round++) {
        if (r == 0) {
            *n_born += f->changes.n_born;
            *n_gone += f->changes.n_gone;
            while (f->changes.n_gone > 0)
                cgroup_targets_release(f->set, f->changes.gone[--f->changes.n_gone]);
        }
        r = cgroup_targets_update(f->set, true, &f->changes);
        assert_int_equal(r, 0);
    }
    return failed;
}

static void make_tree(struct fixture *f)
{
    char path[64];

    make(f, "/a");
    for (int i = 0; i < 17; i++) { /* more than the reports have room for at first */
        (void)snprintf(path, sizeof(path), "/a/some.slice%d", i);
        make(f, path);
    }
    make(f, "/a/some.slice7/x");
}

static void remove_tree(struct fixture *f)
{
    char path[64];

    destroy(f, "/a/some.slice7/x");
    for (int i = 0; i < 17; i++) {
        (void)snprintf(path, sizeof(path), "/a/some.slice%d", i);
        destroy(f, path);
    }
    destroy(f, "/a");
}

static void fail_each(struct fixture *f, bool at_start)
{
    bool failed = true;
    unsigned n;

    for (n = 1; failed; n++) {
        size_t n_born = 0, n_gone = 0;

        f->set = cgroup_targets_free(f->set);
        start(f, roomy);
        if (!at_start)
            update(f);
        make_tree(f);
        failed = update_with_failure(f, n, &n_born, &n_gone);
        assert_int_equal(n_born, 19);
        assert_int_equal(n_gone, 0);
        assert_int_equal(census(f)->standing, 19);
        remove_tree(f);
        (void)update_with_failure(f, n, &n_born, &n_gone);
        assert_int_equal(n_born, 19);
        assert_int_equal(n_gone, 19);
        assert_int_equal(cgroup_targets_count(f->set), 0);
        assert_int_equal(census(f)->uncounted[ABSENCE_OVER_LIMIT], 0);
    }
    assert_true(n > 100);
}

static void memory__that_is_short_in_the_first_walk_loses_nothing(void **state)
{
    struct fixture *f = *state;

    rule(f, "/**", NULL);
    fail_each(f, true);
}

static void memory__that_is_short_while_events_are_taken_loses_nothing(void **state)
{
    struct fixture *f = *state;

    rule(f, "/**", NULL);
    fail_each(f, false);
}

static void memory__that_is_short_at_the_making_is_told(void **state)
{
    struct fixture *f = *state;

    for (failing = 1; failing < 100; failing++) {
        int r;

        allocations = 0;
        r = cgroup_targets_new(f->root_fd, f->rules, &roomy, &f->set);
        if (allocations < failing) {
            assert_int_equal(r, 0);
            break;
        }
        assert_int_equal(r, -ENOMEM);
    }
    assert_in_range(failing, 2, 99);
    failing = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
        TEST(memory__that_is_short_in_the_first_walk_loses_nothing),
        TEST(memory__that_is_short_while_events_are_taken_loses_nothing),
        TEST(memory__that_is_short_at_the_making_is_told),
    };

    if (fixture_is_missing())
        return 77;
    return cmocka_run_group_tests_name("cgroup_memory", tests, NULL, NULL);
}
