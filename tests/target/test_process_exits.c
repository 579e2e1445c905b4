/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The record of an exit comes once, and a moment before /proc shows the end. What is looked at in
 * that moment, and is counted from then on, ends all the same.
 *
 * The set is told of births and ends by the kernel, so that it does not read all of /proc, while
 * its processes are files. Their numbers are larger than any that the kernel gives (PID_MAX_LIMIT),
 * so no record is of one of them.
 */
#include "target/process_files.h"

#define FIRST  5000000
#define SECOND 5000001

/* No descriptor tells of the end of a process that is a file. */
static int setup_watching(void **state, const struct process_limits *limits)
{
    int r = setup_limited(state, limits);
    struct fixture *fixture = *state;

    fixture->set->is_ours = true;
    fixture->set->exits = exit_watch_free(fixture->set->exits);
    return r;
}

static int setup(void **state)
{
    return setup_watching(state, &roomy);
}

static int setup_for_one(void **state)
{
    return setup_watching(state, &(struct process_limits){1, 1});
}

static void first_update(struct fixture *fixture)
{
    fixture_update(fixture);
    if (!process_targets_census(fixture->set)->watching) {
        print_message("skipped: no system-wide perf events here (CAP_PERFMON)\n");
        skip();
    }
}

static void member__that_was_exiting_when_it_was_found_ends_as_a_zombie(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(FIRST, "parent", 1, 500);
    PROCESS(SECOND, "any", FIRST, 501, .state = 'R', .exiting = true);
    first_update(fixture);
    assert_non_null(born(fixture, FIRST));
    PROCESS(SECOND, "any", FIRST, 501, 'Z');
    fixture_update(fixture);
    assert_null(process_find(fixture->set, SECOND));
}

static void member__whose_first_thread_had_exited_ends_with_its_last_thread(void **state)
{
    struct fixture *fixture = *state;
    struct process_target *target;

    PROCESS(FIRST, "parent", 1, 500);
    PROCESS(SECOND, "any", FIRST, 501, 'Z', 2);
    first_update(fixture);
    target = born(fixture, FIRST);
    assert_non_null(target);
    for (int i = 0; i < 8; i++)
        fixture_update(fixture);
    assert_int_equal(target->n_members, 2);
    PROCESS(SECOND, "any", FIRST, 501, 'Z', 1);
    fixture_update(fixture);
    assert_int_equal(target->n_members, 1);
}

static void process__that_executes_by_another_thread_goes_on(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(FIRST, "parent", 1, 500);
    PROCESS(SECOND, "any", FIRST, 501, 'Z', 2);
    first_update(fixture);
    PROCESS(SECOND, "any", FIRST, 501);
    for (int i = 0; i < 8; i++)
        fixture_update(fixture);
    assert_non_null(process_find(fixture->set, SECOND));
    assert_true(TAILQ_EMPTY(&fixture->set->ending));
}

static void process__that_is_about_to_end_is_not_found(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(FIRST, "web", 1, 500, .state = 'R', .exiting = true);
    first_update(fixture);
    assert_changes(fixture, 0, 0);
}

/* The record of its exit has it looked at once. */
static void process__that_exits_while_it_waits_for_room_waits_no_more(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(FIRST, "web", 1, 500);
    PROCESS(SECOND, "web", 1, 501);
    first_update(fixture);
    assert_int_equal(over_limit(fixture), 1);
    for (pid_t pid = FIRST; pid <= SECOND; pid++)
        if (process_find(fixture->set, pid)->waiting) {
            PROCESS(pid, "web", 1, 500 + (unsigned)(pid - FIRST), .state = 'R', .exiting = true);
            process_enqueue(fixture->set, process_find(fixture->set, pid));
        }
    fixture_update(fixture);
    assert_int_equal(over_limit(fixture), 0);
}

static void descendant__that_had_ended_before_it_was_adopted_is_no_member(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(FIRST, "any", 1, 500);
    PROCESS(SECOND, "web", FIRST, 501);
    first_update(fixture);
    assert_non_null(born(fixture, SECOND));
    PROCESS(SECOND, "web", FIRST, 501, 'Z');
    PROCESS(FIRST, "parent", 1, 500);
    process_enqueue(fixture->set, process_find(fixture->set, FIRST));
    fixture_update(fixture);
    assert_non_null(born(fixture, FIRST));
    assert_int_equal(born(fixture, FIRST)->n_members, 1);
    assert_null(process_find(fixture->set, SECOND));
    process_targets_release(fixture->set, gone(fixture, SECOND));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(member__that_was_exiting_when_it_was_found_ends_as_a_zombie),
        TEST(member__whose_first_thread_had_exited_ends_with_its_last_thread),
        TEST(process__that_executes_by_another_thread_goes_on),
        TEST(process__that_is_about_to_end_is_not_found),
        cmocka_unit_test_setup_teardown(process__that_exits_while_it_waits_for_room_waits_no_more,
                                        setup_for_one, teardown),
        TEST(descendant__that_had_ended_before_it_was_adopted_is_no_member),
    };

    return cmocka_run_group_tests_name("process_exits", tests, NULL, NULL);
}
