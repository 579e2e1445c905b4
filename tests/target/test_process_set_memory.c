/* SPDX-License-Identifier: Apache-2.0 */
#include "target/process_files.h"

#include "support/failing_memory.h"

/* Each allocation of an update fails in turn, and the next update repairs what that left undone. */

static const struct process_limits four = {4, 4};

static int setup(void **state)
{
    return setup_limited(state, &four);
}

static void new_set(struct fixture *fixture)
{
    fixture->set = process_targets_free(fixture->set);
    assert_int_equal(process_targets_new(fixture->procfs_fd, fixture->rules, &four, &fixture->set),
                     0);
}

/* Updates while the allocation of this number fails, then without. False if there is no such
 * number. */
static bool update_without(struct fixture *fixture, unsigned number)
{
    int r;

    allocations = 0;
    failing = number;
    r = process_targets_update(fixture->set, &fixture->changes);
    failing = 0;
    if (allocations < number)
        return false;
    if (r == 0) /* the update managed without it: a process waits in the queue of `nobody` then */
        return true;
    assert_int_equal(r, -ENOMEM);
    fixture_update(fixture);
    return true;
}

/* Four are counted and one is left out; the tree of files decides which one comes last. */
static void assert_family_and_web(struct fixture *fixture)
{
    size_t members = 0;

    for (size_t i = 0; i < fixture->changes.n_born; i++)
        members += born_at(fixture, i)->n_members;
    assert_int_equal(members, 4);
    assert_int_equal(over_limit(fixture), 1);
    assert_non_null(born(fixture, 100));
    assert_null(born(fixture, 101));
    assert_int_equal(process_targets_census(fixture->set)->standing, fixture->changes.n_born);
}

static void write_all(struct fixture *fixture)
{
    PROCESS(100, "parent", 1, 500);
    PROCESS(101, "web", 100, 501);
    PROCESS(102, "x", 101, 502);
    PROCESS(103, "web", 1, 503);
    PROCESS(104, "web", 1, 504);
}

static void update__that_fails_is_made_good_by_the_next(void **state)
{
    struct fixture *fixture = *state;
    unsigned number = 1;

    write_all(fixture);
    for (; update_without(fixture, number); number++) {
        assert_family_and_web(fixture);
        new_set(fixture);
    }
    assert_in_range(number, 20, 300);
}

static void update__that_fails_at_a_change_is_made_good_too(void **state)
{
    struct fixture *fixture = *state;

    for (unsigned number = 1;; number++) {
        bool failed;

        write_all(fixture);
        end(fixture, 104);
        new_set(fixture);
        fixture_update(fixture);
        PROCESS(103, "base", 1, 503);
        PROCESS(104, "web", 1, 504);
        PROCESS(100, "renamed", 1, 500); /* its children are targets of their own then */
        failed = update_without(fixture, number);
        assert_changes(fixture, 3, 2);
        assert_int_equal(gone(fixture, 100)->n_members + gone(fixture, 103)->n_members, 0);
        assert_int_equal(process_targets_census(fixture->set)->standing, 3);
        assert_int_equal(over_limit(fixture), 0);
        assert_string_equal(born(fixture, 103)->group, "data");
        assert_string_equal(born(fixture, 101)->group, "web");
        assert_string_equal(born(fixture, 104)->group, "web");
        if (!failed)
            break;
    }
}

static void threads__without_memory_say_so(void **state)
{
    struct fixture *fixture = *state;
    pid_t *threads = NULL;
    unsigned number = 1;
    size_t n;
    int r;

    write_all(fixture);
    fixture_update(fixture);
    do {
        allocations = 0;
        failing = number++;
        r = process_targets_threads(fixture->set, born(fixture, 100), &threads, &n);
        failing = 0;
        assert_true(r == 0 || r == -ENOMEM);
        assert_true(r == 0 || !threads);
    } while (r < 0);
    assert_int_equal(n, 3);
    assert_true(number > 3);
    free(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(update__that_fails_is_made_good_by_the_next),
        TEST(update__that_fails_at_a_change_is_made_good_too),
        TEST(threads__without_memory_say_so),
    };

    return cmocka_run_group_tests_name("process_set_memory", tests, NULL, NULL);
}
