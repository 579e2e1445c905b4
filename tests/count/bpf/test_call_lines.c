/* SPDX-License-Identifier: Apache-2.0 */
/* Which system calls have a line of their own. */
#include "support/check.h"

#include "count/bpf/call_lines.h"
#include "count/breakdown.h"

#define BEGUN_NS UINT64_C(1000)
#define SOON_NS  (BEGUN_NS + CALL_LINES_BEGIN_NS)

/* Calls are first seen at BEGUN_NS. */
static void begin(struct call_lines *lines)
{
    call_lines_note(lines, 0, 1);
    call_lines_promote(lines, BEGUN_NS);
    assert_int_equal(lines->n, 0);
}

static void line__is_given_by_count_and_stays(void **state)
{
    struct call_lines lines = {0};

    (void)state;
    call_lines_promote(&lines, SOON_NS);
    assert_int_equal(lines.n, 0);
    begin(&lines);
    call_lines_note(&lines, 1, 1000000);
    call_lines_note(&lines, 2, 2010);
    call_lines_note(&lines, 3, 1999);
    call_lines_promote(&lines, SOON_NS);
    assert_true(lines.has_line[1]);
    assert_true(lines.has_line[2]); /* the second line is for two in a thousand */
    assert_false(lines.has_line[3]);
    call_lines_note(&lines, 3, 100000000);
    call_lines_promote(&lines, SOON_NS);
    assert_true(lines.has_line[2]);
    assert_true(lines.has_line[3]);
}

static void line__is_given_to_no_call_that_was_made_a_few_times(void **state)
{
    struct call_lines lines = {0};

    (void)state;
    begin(&lines);
    call_lines_note(&lines, 1, CALL_LINES_LEAST - 1);
    call_lines_promote(&lines, SOON_NS);
    assert_int_equal(lines.n, 0);
    call_lines_note(&lines, 1, 1);
    call_lines_promote(&lines, SOON_NS);
    assert_true(lines.has_line[1]);
    assert_int_equal(lines.n, 1);
}

static void lines__are_few_and_some_are_left_for_who_becomes_dear(void **state)
{
    uint64_t now_ns = SOON_NS;
    struct call_lines lines = {0};

    (void)state;
    begin(&lines);
    for (size_t call = 0; call < 300; call++)
        call_lines_note(&lines, call, 1000);
    call_lines_promote(&lines, now_ns);
    assert_int_equal(lines.n, 3); /* each makes 3.3 in a thousand */
    for (size_t call = 300; call < 400; call++) {
        call_lines_note(&lines, call, lines.all / 20);
        call_lines_promote(&lines, now_ns += CALL_LINES_STEP_NS);
    }
    assert_int_equal(lines.n, CALL_LINES_MOST);
    assert_true(lines.has_line[300]);
    assert_false(lines.has_line[399]);
}

static void line__of_the_first_seconds_is_for_the_dearest_of_them_all(void **state)
{
    struct call_lines lines = {0};

    (void)state;
    begin(&lines);
    call_lines_note(&lines, 1, 100000);
    call_lines_promote(&lines, SOON_NS - 1);
    assert_int_equal(lines.n, 0);
    call_lines_note(&lines, 2, 1000000000); /* 1 makes too few now */
    call_lines_promote(&lines, SOON_NS);
    assert_false(lines.has_line[1]);
    assert_true(lines.has_line[2]);
}

/* Somebody makes many of many odd calls as soon as counting begins. */
static void lines__are_kept_back_from_who_comes_first(void **state)
{
    const size_t n_odd = 30, later = 100;
    struct call_lines lines = {0};

    (void)state;
    begin(&lines);
    for (size_t call = 1; call <= n_odd; call++)
        call_lines_note(&lines, call, 1000000);
    call_lines_promote(&lines, SOON_NS);
    assert_int_equal(lines.n, CALL_LINES_SOON);
    call_lines_promote(&lines, SOON_NS + CALL_LINES_STEP_NS - 1);
    assert_int_equal(lines.n, CALL_LINES_SOON);
    call_lines_note(&lines, later, 2000000);
    call_lines_promote(&lines, SOON_NS + CALL_LINES_STEP_NS);
    assert_int_equal(lines.n, CALL_LINES_SOON + 1);
    assert_true(lines.has_line[later]);
}

/* Somebody makes many of many odd calls after a day on which few had a line. */
static void lines__that_nobody_has_taken_for_long_are_given_one_by_one(void **state)
{
    uint64_t now_ns = SOON_NS + 300 * CALL_LINES_STEP_NS;
    struct call_lines lines = {0};

    (void)state;
    begin(&lines);
    call_lines_note(&lines, 0, 1000000);
    call_lines_promote(&lines, SOON_NS);
    assert_int_equal(lines.n, 1);
    for (size_t call = 1; call <= 30; call++)
        call_lines_note(&lines, call, 1000000);
    call_lines_promote(&lines, now_ns);
    call_lines_promote(&lines, now_ns + CALL_LINES_STEP_NS - 1);
    assert_int_equal(lines.n, CALL_LINES_SOON);
    for (size_t n = CALL_LINES_SOON + 1; n <= CALL_LINES_MOST; n++) {
        call_lines_promote(&lines, now_ns += CALL_LINES_STEP_NS);
        assert_int_equal(lines.n, n);
    }
    call_lines_promote(&lines, now_ns + CALL_LINES_STEP_NS);
    assert_int_equal(lines.n, CALL_LINES_MOST);
}

static void kinds__beside_numbers_have_lines_too(void **state)
{
    struct call_lines lines = {0};

    (void)state;
    begin(&lines);
    call_lines_note(&lines, SYSCALLS_UNKNOWN, 10000);
    call_lines_note(&lines, SYSCALLS_COMPAT, 10000);
    call_lines_promote(&lines, SOON_NS);
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
        cmocka_unit_test(line__is_given_to_no_call_that_was_made_a_few_times),
        cmocka_unit_test(lines__are_few_and_some_are_left_for_who_becomes_dear),
        cmocka_unit_test(line__of_the_first_seconds_is_for_the_dearest_of_them_all),
        cmocka_unit_test(lines__are_kept_back_from_who_comes_first),
        cmocka_unit_test(lines__that_nobody_has_taken_for_long_are_given_one_by_one),
        cmocka_unit_test(kinds__beside_numbers_have_lines_too),
        cmocka_unit_test(breakdown__has_room_for_all_lines_and_the_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
