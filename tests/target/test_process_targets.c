/* SPDX-License-Identifier: Apache-2.0 */
#include "target/process_files.h"

static int setup(void **state)
{
    return setup_limited(state, &roomy);
}

static void targets__are_those_that_a_rule_matches(void **state)
{
    struct fixture *fixture = *state;
    struct process_target *target;

    PROCESS(100, "web", 1, 500);
    PROCESS(101, "other", 1, 501);
    fixture_update(fixture);
    assert_changes(fixture, 1, 0);
    target = born_at(fixture, 0);
    assert_int_equal(target->pid, 100);
    assert_int_equal(target->start_ticks, 500);
    assert_int_equal(target->start_realtime_ns, process_start_realtime_ns(500));
    assert_int_equal(target->rule, 1);
    assert_string_equal(target->group, "web");
    assert_int_equal(target->uid, geteuid());
    assert_int_equal(target->n_members, 1);
    assert_false(target->gone);
    assert_true(process_target_lives(target));
    assert_int_equal(process_targets_census(fixture->set)->standing, 1);
    assert_false(process_targets_census(fixture->set)->watching);
    fixture_update(fixture);
    assert_changes(fixture, 0, 0);
    assert_int_equal(process_targets_census(fixture->set)->rescans, 2);
}

static void target__that_is_given_back_is_told_again(void **state)
{
    struct fixture *fixture = *state;
    const struct process_census *census = process_targets_census(fixture->set);
    struct process_target *target;

    PROCESS(100, "web", 1, 500);
    PROCESS(102, "web", 1, 502);
    fixture_update(fixture);
    target = born(fixture, 100);
    process_targets_give_back(fixture->set, target);
    assert_int_equal(census->uncounted[ABSENCE_NO_DESCRIPTORS], 1);
    fixture_update(fixture);
    assert_changes(fixture, 1, 0);
    assert_ptr_equal(born_at(fixture, 0), target);
    assert_int_equal(census->uncounted[ABSENCE_NO_DESCRIPTORS], 0);
    fixture_update(fixture);
    assert_changes(fixture, 0, 0);
}

static void target__that_is_given_back_and_ends_is_told_no_more(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(100, "web", 1, 500);
    fixture_update(fixture);
    process_targets_give_back(fixture->set, born_at(fixture, 0));
    end(fixture, 100);
    fixture_update(fixture);
    assert_changes(fixture, 0, 0);
    assert_int_equal(process_targets_census(fixture->set)->standing, 0);
    assert_int_equal(process_targets_census(fixture->set)->uncounted[ABSENCE_NO_DESCRIPTORS], 0);
}

static void target__that_ended_is_told_once(void **state)
{
    struct fixture *fixture = *state;
    struct process_target *target;

    PROCESS(100, "web", 1, 500);
    fixture_update(fixture);
    target = born(fixture, 100);
    end(fixture, 100);
    assert_false(process_target_lives(target));
    fixture_update(fixture);
    assert_changes(fixture, 0, 1);
    assert_ptr_equal(gone(fixture, 100), target);
    assert_true(target->gone);
    assert_int_equal(target->n_members, 0);
    assert_int_equal(process_targets_census(fixture->set)->standing, 0);
    process_targets_release(fixture->set, target);
    fixture_update(fixture);
    assert_changes(fixture, 0, 0);
}

static void target__with_a_number_used_again_is_another(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(100, "web", 1, 500);
    fixture_update(fixture);
    for (unsigned start = 501; start < 600; start++) {
        PROCESS(100, "web", 1, start);
        fixture_update(fixture);
        assert_changes(fixture, 1, 1);
        assert_int_equal(gone(fixture, 100)->start_ticks, start - 1);
        assert_int_equal(born(fixture, 100)->start_ticks, start);
        process_targets_release(fixture->set, gone(fixture, 100));
    }
}

static void target__with_another_name_becomes_another(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(100, "web", 1, 500);
    fixture_update(fixture);
    PROCESS(100, "base", 1, 500);
    fixture_update(fixture);
    assert_changes(fixture, 1, 1);
    assert_string_equal(gone(fixture, 100)->group, "web");
    assert_string_equal(born(fixture, 100)->group, "data");
    assert_int_equal(born(fixture, 100)->n_members, 1);
    process_targets_release(fixture->set, gone(fixture, 100));
    PROCESS(100, "nothing", 1, 500);
    fixture_update(fixture);
    assert_changes(fixture, 0, 1);
    process_targets_release(fixture->set, gone(fixture, 100));
}

static void process__is_matched_when_it_gets_its_name(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(100, "shell", 1, 500);
    for (int i = 0; i < 20; i++)
        fixture_update(fixture);
    PROCESS(100, "web", 1, 500);
    for (int i = 0; i < 16 && process_targets_census(fixture->set)->standing == 0; i++)
        fixture_update(fixture); /* one of 16 updates reads its name */
    assert_changes(fixture, 1, 0);
}

static void process__that_vanishes_while_it_is_read_was_never_there(void **state)
{
    struct fixture *fixture = *state;

    fixture_tree_make_directories(&fixture->tree,
                                  "100/task/"); /* the process has no stat any more */
    fixture_tree_make_directories(&fixture->tree, "acpi/");
    fixture_tree_write(&fixture->tree, "101", "no directory");
    fixture_tree_write(&fixture->tree, "102/stat", "not understood");
    fixture_update(fixture);
    fixture_update(fixture);
    assert_changes(fixture, 0, 0);
    assert_int_equal(over_limit(fixture), 0);
}

static void zombie__is_no_target(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(100, "web", 1, 500, 'Z');
    PROCESS(101, "web", 1, 501);
    fixture_update(fixture);
    assert_changes(fixture, 1, 0);
    assert_non_null(born(fixture, 101));
    PROCESS(101, "web", 1, 501, 'Z');
    assert_false(process_target_lives(born(fixture, 101)));
    fixture_update(fixture);
    assert_changes(fixture, 0, 1);
    process_targets_release(fixture->set, gone(fixture, 101));
    fixture_update(fixture);
    assert_changes(fixture, 0, 0);
}

static void leader__that_exited_before_its_threads_still_counts(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(100, "web", 1, 500, 'Z', 3);
    fixture_update(fixture);
    assert_changes(fixture, 1, 0);
    fixture_update(fixture);
    assert_changes(fixture, 0, 0);
}

static void kernel_thread__is_a_process_as_others(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(7, "kworker/0:1H", 2, 25, 'I', 1, true);
    fixture_update(fixture);
    assert_non_null(born(fixture, 7));
    assert_string_equal(born(fixture, 7)->group, "kernel");
}

static void children__belong_whatever_rule_matches_them(void **state)
{
    struct fixture *fixture = *state;
    AUTO_FREE pid_t *threads = NULL;
    size_t n;

    PROCESS(100, "parent", 1, 500);
    PROCESS(90, "web", 100,
            501); /* the kernel begins again with low numbers, so a child may have a lower one */
    PROCESS(101, "parent", 90, 502);
    PROCESS(80, "base", 101, 503);
    PROCESS(102, "web", 1, 504);
    fixture_update(fixture);
    assert_changes(fixture, 2, 0);
    assert_int_equal(born(fixture, 100)->n_members, 4);
    assert_true(born(fixture, 100)->children);
    assert_int_equal(born(fixture, 102)->n_members, 1);
    assert_int_equal(process_targets_threads(fixture->set, born(fixture, 100), &threads, &n), 0);
    assert_int_equal(n, 4);
    assert_int_equal(threads[0], 80);
    assert_int_equal(threads[3], 101);
}

static void children__stay_when_their_parents_end(void **state)
{
    struct fixture *fixture = *state;
    struct process_target *target;

    PROCESS(100, "parent", 1, 500);
    PROCESS(101, "x", 100, 501);
    PROCESS(102, "web", 101, 502);
    fixture_update(fixture);
    target = born(fixture, 100);
    end(fixture, 101);
    PROCESS(102, "web", 1, 502); /* its parent is another process now */
    fixture_update(fixture);
    assert_changes(fixture, 0, 0);
    assert_int_equal(target->n_members, 2);
    PROCESS(103, "web", 102, 503);
    end(fixture, 100);
    fixture_update(fixture);
    assert_changes(fixture, 0, 0);
    assert_int_equal(target->n_members, 2);
    assert_false(process_target_lives(target));
    end(fixture, 102);
    end(fixture, 103);
    fixture_update(fixture);
    assert_changes(fixture, 0, 1);
    process_targets_release(fixture->set, target);
}

static struct process_targets *succeed(const struct fixture *fixture,
                                       struct process_changes *ret_changes)
{
    struct process_targets *successor;

    assert_int_equal(process_targets_new(fixture->procfs_fd, fixture->rules, &roomy, &successor),
                     0);
    process_targets_succeed(successor, fixture->set);
    assert_int_equal(process_targets_update(successor, ret_changes), 0);
    return successor;
}

/* Or a rule that matches them would have them counted twice: the kernel goes on to inherit. */
static void children__stay_in_a_successor_when_their_parents_have_ended(void **state)
{
    struct fixture *fixture = *state;
    AUTO(process_targets) struct process_targets *successor = NULL;
    struct process_changes changes;

    PROCESS(100, "parent", 1, 500);
    PROCESS(101, "x", 100, 501);
    PROCESS(102, "web", 101, 502);
    fixture_update(fixture);
    end(fixture, 101);
    PROCESS(102, "web", 1, 502); /* its parent is another process now */
    fixture_update(fixture);
    successor = succeed(fixture, &changes);
    assert_int_equal(changes.n_born, 1);
    assert_int_equal(find_target(changes.born, changes.n_born, 100)->n_members, 2);
}

/* Its parent ends where nobody looks, between the last update of the one and the first of the
 * other. */
static void children__stay_in_a_successor_when_their_parents_end_just_then(void **state)
{
    struct fixture *fixture = *state;
    AUTO(process_targets) struct process_targets *successor = NULL;
    struct process_changes changes;

    PROCESS(100, "parent", 1, 500);
    PROCESS(101, "x", 100, 501);
    PROCESS(102, "web", 101, 502);
    fixture_update(fixture);
    end(fixture, 101);
    PROCESS(102, "web", 1, 502);
    successor = succeed(fixture, &changes);
    assert_int_equal(changes.n_born, 1);
    assert_int_equal(find_target(changes.born, changes.n_born, 100)->n_members, 2);
}

static void children__of_one_number_with_another_start_are_others_in_a_successor(void **state)
{
    struct fixture *fixture = *state;
    AUTO(process_targets) struct process_targets *successor = NULL;
    struct process_changes changes;

    PROCESS(100, "parent", 1, 500);
    PROCESS(101, "web", 100, 501);
    PROCESS(110, "parent", 1, 502);
    PROCESS(111, "web", 110, 503);
    fixture_update(fixture);
    PROCESS(101, "web", 1, 504);
    PROCESS(110, "parent", 1, 505);
    PROCESS(111, "web", 1, 503);
    successor = succeed(fixture, &changes);
    assert_int_equal(changes.n_born, 4);
}

static void children__become_targets_of_their_own_when_the_family_ends(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(100, "parent", 1, 500);
    PROCESS(101, "web", 100, 501);
    PROCESS(102, "x", 101, 502);
    fixture_update(fixture);
    assert_int_equal(born(fixture, 100)->n_members, 3);
    PROCESS(100, "renamed", 1, 500);
    fixture_update(fixture);
    assert_changes(fixture, 1, 1);
    assert_string_equal(born(fixture, 101)->group, "web");
    process_targets_release(fixture->set, gone(fixture, 100));
}

static void children__that_were_targets_are_taken_in(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(100, "x", 1, 500);
    PROCESS(101, "web", 100, 501);
    fixture_update(fixture);
    assert_changes(fixture, 1, 0);
    PROCESS(100, "parent", 1, 500);
    fixture_update(fixture);
    assert_changes(fixture, 1, 1);
    assert_int_equal(gone(fixture, 101)->pid, 101);
    assert_int_equal(born(fixture, 100)->n_members, 2);
    process_targets_release(fixture->set, gone(fixture, 101));
}

static void parents__that_form_a_ring_do_no_harm(void **state)
{
    struct fixture *fixture = *state;

    PROCESS(100, "web", 101, 500);
    PROCESS(101, "web", 100, 500);
    PROCESS(102, "web", 102, 500);
    PROCESS(103, "parent", 104, 600); /* another process had this number before */
    PROCESS(104, "web", 103, 500);
    fixture_update(fixture);
    assert_changes(fixture, 5, 0);
}

static void set__that_is_unreadable_says_so_and_keeps_what_stands(void **state)
{
    struct fixture *fixture = *state;
    int procfs_fd = fixture->set->procfs_fd;

    PROCESS(100, "web", 1, 500);
    fixture_update(fixture);
    fixture->set->procfs_fd = -1;
    assert_int_equal(process_targets_update(fixture->set, &fixture->changes), -EBADF);
    fixture->set->procfs_fd = procfs_fd;
    fixture_update(fixture);
    assert_changes(fixture, 0, 0);
    assert_int_equal(process_targets_census(fixture->set)->standing, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(targets__are_those_that_a_rule_matches),
        TEST(target__that_is_given_back_is_told_again),
        TEST(target__that_is_given_back_and_ends_is_told_no_more),
        TEST(target__that_ended_is_told_once),
        TEST(target__with_a_number_used_again_is_another),
        TEST(target__with_another_name_becomes_another),
        TEST(process__is_matched_when_it_gets_its_name),
        TEST(process__that_vanishes_while_it_is_read_was_never_there),
        TEST(zombie__is_no_target),
        TEST(leader__that_exited_before_its_threads_still_counts),
        TEST(kernel_thread__is_a_process_as_others),
        TEST(children__belong_whatever_rule_matches_them),
        TEST(children__stay_when_their_parents_end),
        TEST(children__stay_in_a_successor_when_their_parents_have_ended),
        TEST(children__stay_in_a_successor_when_their_parents_end_just_then),
        TEST(children__of_one_number_with_another_start_are_others_in_a_successor),
        TEST(children__become_targets_of_their_own_when_the_family_ends),
        TEST(children__that_were_targets_are_taken_in),
        TEST(parents__that_form_a_ring_do_no_harm),
        TEST(set__that_is_unreadable_says_so_and_keeps_what_stands),
    };

    return cmocka_run_group_tests_name("process_targets", tests, NULL, NULL);
}
