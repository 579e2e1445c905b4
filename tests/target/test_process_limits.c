/* SPDX-License-Identifier: Apache-2.0 */
#include "target/process_files.h"

#include "support/need_root.h"

/* Tests of how many processes are counted, and of which threads belong to them. */

static int setup(void **state)
{
    return setup_limited(state, &roomy);
}

static int setup_two(void **state)
{
    return setup_limited(state, &(struct process_limits){2, 10});
}

static int setup_one_each(void **state)
{
    return setup_limited(state, &(struct process_limits){3, 1});
}

static void limit__refuses_newcomers_and_takes_them_in_turn(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(100, "web", 1, 500);
    PROCESS(101, "web", 1, 501);
    fixture_update(fixture);
    PROCESS(102, "web", 1, 502);
    fixture_update(fixture);
    PROCESS(90, "web", 1, 503);
    fixture_update(fixture);
    assert_changes(fixture, 0, 0);
    assert_int_equal(over_limit(fixture), 2);
    assert_int_equal(dropped(fixture), 2);
    end(fixture, 100);
    fixture_update(fixture);
    assert_changes(fixture, 1, 1);
    assert_non_null(born(fixture, 102));
    process_targets_release(fixture->set, gone(fixture, 100));
    assert_int_equal(over_limit(fixture), 1);
    end(fixture, 90); /* it waits for room */
    end(fixture, 101);
    PROCESS(103, "web", 1, 504);
    fixture_update(fixture);
    assert_changes(fixture, 1, 1);
    assert_int_equal(over_limit(fixture), 0);
    assert_int_equal(dropped(fixture), 2 + (dropped(fixture) > 2));
    process_targets_release(fixture->set, gone(fixture, 101));
}

static void limit__counts_descendants(void **state)
{
    struct fixture *fixture = *state;
    AUTO_FREE pid_t *threads = NULL;
    size_t n;

    PROCESS(100, "parent", 1, 500);
    PROCESS(101, "x", 100, 501);
    PROCESS(102, "x", 100, 502);
    PROCESS(103, "web", 1, 503);
    fixture_update(fixture);
    assert_changes(fixture, 1, 0);
    assert_int_equal(born(fixture, 100)->n_members + over_limit(fixture), 4);
    assert_int_equal(born(fixture, 100)->n_members, 2);
    assert_int_equal(process_targets_threads(fixture->set, born(fixture, 100), &threads, &n), 0);
    assert_int_equal(n, 2);
    end(fixture, 101);
    end(fixture, 102);
    fixture_update(fixture);
    assert_changes(fixture, 1, 0);
    assert_non_null(born(fixture, 103));
    assert_int_equal(over_limit(fixture), 0);
}

static void limit__is_shared_by_users(void **state)
{
    struct fixture *fixture = *state;

    need_root("only root can make files of others");
    for (pid_t pid = 100; pid < 110; pid++) {
        char path[16];

        PROCESS(pid, "web", 1, 500);
        (void)snprintf(path, sizeof(path), "%d", pid);
        assert_int_equal(fchownat(fixture->tree.fd, path, pid < 109 ? 1000 : 1001, 0, 0), 0);
    }
    fixture_update(fixture);
    assert_changes(fixture, 2, 0);
    assert_int_equal(born_at(fixture, 0)->uid + born_at(fixture, 1)->uid, 2001);
    assert_int_equal(over_limit(fixture), 8);
    PROCESS(50, "web", 1, 600); /* root may have everything */
    PROCESS(51, "web", 1, 601);
    fixture_update(fixture);
    assert_changes(fixture, 1, 0);
    assert_int_equal(born(fixture, 50) || born(fixture, 51), 1);
    for (pid_t pid = 100; pid < 110; pid++)
        end(fixture, pid);
    fixture_update(fixture);
    assert_changes(fixture, 1, 2);
    assert_int_equal(over_limit(fixture), 0);
    while (fixture->changes.n_gone > 0)
        process_targets_release(fixture->set, fixture->changes.gone[--fixture->changes.n_gone]);
}

static void threads__of_one_that_ended_are_not_there(void **state)
{
    struct fixture *fixture = *state;
    pid_t *threads = NULL;
    size_t n;

    PROCESS(100, "web", 1, 500);
    fixture_update(fixture);
    end(fixture, 100);
    assert_int_equal(process_targets_threads(fixture->set, born(fixture, 100), &threads, &n),
                     -ESRCH);
    assert_null(threads);
}

static void threads__of_what_was_started_since_are_there(void **state)
{
    struct fixture *fixture = *state;
    AUTO_FREE pid_t *threads = NULL;
    size_t n;

    PROCESS(100, "parent", 1, 500);
    fixture_update(fixture);
    PROCESS(101, "x", 100, 501);
    PROCESS(102, "x", 101, 502);
    fixture_tree_write(&fixture->tree, "100/task/100/children", "101 ");
    fixture_tree_write(&fixture->tree, "101/task/101/children", "102 ");
    assert_int_equal(process_targets_threads(fixture->set, born(fixture, 100), &threads, &n), 0);
    assert_int_equal(n, 3);
    assert_int_equal(threads[2], 102);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        cmocka_unit_test_setup_teardown(limit__refuses_newcomers_and_takes_them_in_turn, setup_two,
                                        teardown),
        cmocka_unit_test_setup_teardown(limit__counts_descendants, setup_two, teardown),
        cmocka_unit_test_setup_teardown(limit__is_shared_by_users, setup_one_each, teardown),
        TEST(threads__of_one_that_ended_are_not_there),
        TEST(threads__of_what_was_started_since_are_there),
    };

    return cmocka_run_group_tests_name("process_limits", tests, NULL, NULL);
}
