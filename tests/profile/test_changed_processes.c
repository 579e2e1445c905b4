/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "profile/changed_processes.h"

static void sample__from_before_a_change__is_not_in_doubt(void **state)
{
    AUTO(changed_processes) struct changed_processes *changed = changed_processes_new();

    (void)state;
    changed_processes_note(changed, 1, 1000);
    changed_processes_note(changed, 1, 2000);
    assert_null(changed_processes_change(changed, 1, 999));
    assert_non_null(changed_processes_change(changed, 1, 1000));
    assert_null(changed_processes_change(changed, 2, 5000));
}

static void sample__of_a_process_that_was_only_unknown__is_not_in_doubt(void **state)
{
    AUTO(changed_processes) struct changed_processes *changed = changed_processes_new();

    (void)state;
    changed_processes_note(changed, 1, UINT64_MAX);
    assert_null(changed_processes_change(changed, 1, 5000));
}

static void look__tells_what_is_in_doubt_and_ends_with_the_turn(void **state)
{
    AUTO(changed_processes) struct changed_processes *changed = changed_processes_new();
    struct changed_process *process;

    (void)state;
    changed_processes_note(changed, 1, 1000);
    changed_processes_note(changed, 2, 1000);
    process = changed_processes_next(changed);
    assert_int_equal(process->pid, 1);
    process->was_looked_at = true;
    process->change = (struct space_change){.n_lost = 1, .lost = {9}};
    assert_int_equal(changed_processes_change(changed, 1, 1000)->lost[0], 9);
    assert_int_equal(changed_processes_change(changed, 2, 1000)->n_lost, SPACE_LOST_MOST + 1);
    changed_processes_forget(changed);
    assert_null(changed_processes_change(changed, 1, 1000));
    assert_int_equal(changed_processes_next(changed)->pid, 2);
}

static void look__that_found_nothing_changed__leaves_no_doubt(void **state)
{
    AUTO(changed_processes) struct changed_processes *changed = changed_processes_new();

    (void)state;
    changed_processes_note(changed, 1, 1000);
    changed_processes_next(changed)->was_looked_at = true;
    assert_null(changed_processes_change(changed, 1, 1000));
    assert_null(changed_processes_next(changed));
}

static void process__that_is_noted__is_found_until_it_was_looked_at(void **state)
{
    AUTO(changed_processes) struct changed_processes *changed = changed_processes_new();

    (void)state;
    assert_true(changed_processes_note(changed, 7, 1000));
    assert_null(changed_processes_find(changed, 8));
    assert_int_equal(changed_processes_find(changed, 7)->pid, 7);
    changed_processes_find(changed, 7)->was_looked_at = true;
    assert_null(changed_processes_find(changed, 7));
}

static void
sample__where_any_process_may_have_changed__is_in_doubt_unless_it_was_looked_at(void **state)
{
    AUTO(changed_processes) struct changed_processes *changed = changed_processes_new();

    (void)state;
    assert_true(changed_processes_note(changed, 1, 0));
    changed_processes_find(changed, 1)->was_looked_at = true;
    changed_processes_doubt_all(changed);
    assert_null(changed_processes_change(changed, 1, 5000));
    assert_non_null(changed_processes_change(changed, 2, 5000));
    changed_processes_forget(changed);
    assert_null(changed_processes_change(changed, 2, 5000));
}

static void storm__of_processes__is_told_when_there_is_no_room(void **state)
{
    AUTO(changed_processes) struct changed_processes *changed = changed_processes_new();
    pid_t pid = 1;

    (void)state;
    while (pid < 100000 && changed_processes_note(changed, pid, 1000))
        pid++;
    assert_in_range(pid, 1000, 99999);
    assert_true(changed_processes_note(changed, 1, 500)); /* which has its place */
    changed_processes_find(changed, 1)->was_looked_at = true;
    changed_processes_forget(changed);
    assert_true(changed_processes_note(changed, pid, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample__from_before_a_change__is_not_in_doubt),
        cmocka_unit_test(sample__of_a_process_that_was_only_unknown__is_not_in_doubt),
        cmocka_unit_test(look__tells_what_is_in_doubt_and_ends_with_the_turn),
        cmocka_unit_test(look__that_found_nothing_changed__leaves_no_doubt),
        cmocka_unit_test(process__that_is_noted__is_found_until_it_was_looked_at),
        cmocka_unit_test(
            sample__where_any_process_may_have_changed__is_in_doubt_unless_it_was_looked_at),
        cmocka_unit_test(storm__of_processes__is_told_when_there_is_no_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
