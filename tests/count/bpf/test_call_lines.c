/* SPDX-License-Identifier: Apache-2.0 */
/* Which system calls have a line of their own. */
#include "support/check.h"

#include "count/bpf/call_lines.h"
#include "count/breakdown.h"

static void line__is_given_by_count_and_stays(void **state)
{
    struct call_lines lines = {0};

    (void)state;
    call_lines_promote(&lines);
    assert_int_equal(lines.n, 0);
    call_lines_note(&lines, 1, 100000);
    call_lines_note(&lines, 2, 200);
    call_lines_note(&lines, 3, 199);
    call_lines_promote(&lines);
    assert_true(lines.has_line[1]);
    assert_true(lines.has_line[2]); /* the second line is for two in a thousand */
    assert_false(lines.has_line[3]);
    call_lines_note(&lines, 3, 100000000);
    call_lines_promote(&lines);
    assert_true(lines.has_line[2]);
    assert_true(lines.has_line[3]);
}

static void lines__are_few_and_some_are_left_for_later(void **state)
{
    struct call_lines lines = {0};

    (void)state;
    for (size_t call = 0; call < 300; call++)
        call_lines_note(&lines, call, 1000);
    call_lines_promote(&lines);
    assert_int_equal(lines.n, 3); /* each makes 3.3 in a thousand */
    for (size_t call = 300; call < 400; call++) {
        call_lines_note(&lines, call, lines.all / 20);
        call_lines_promote(&lines);
    }
    assert_int_equal(lines.n, CALL_LINES_MOST);
    assert_true(lines.has_line[300]);
    assert_false(lines.has_line[399]);
}

static void kinds__beside_numbers_have_lines_too(void **state)
{
    struct call_lines lines = {0};

    (void)state;
    call_lines_note(&lines, SYSCALLS_UNKNOWN, 10);
    call_lines_note(&lines, SYSCALLS_COMPAT, 10);
    call_lines_promote(&lines);
    assert_true(lines.has_line[SYSCALLS_UNKNOWN]);
    assert_true(lines.has_line[SYSCALLS_COMPAT]);
    assert_int_equal(lines.n, 2);
}

static void breakdown__has_room_for_all_lines_and_the_others(void **state)
{
    (void)state;
    assert_true(breakdown_shapes[BREAKDOWN_SYSTEM_CALLS].most_lines >= CALL_LINES_MOST + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line__is_given_by_count_and_stays),
        cmocka_unit_test(lines__are_few_and_some_are_left_for_later),
        cmocka_unit_test(kinds__beside_numbers_have_lines_too),
        cmocka_unit_test(breakdown__has_room_for_all_lines_and_the_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
