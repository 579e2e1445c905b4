/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tool/table.h"

static const struct table_column columns[] = {
    {.title = "event"},
    {.title = "count", .is_right = true},
    {.title = "description", .may_be_cut = true},
};

static const struct terminal paper;

static void assert_written(const struct table *table, const struct terminal *terminal,
                           const char *expected)
{
    AUTO_TEXT struct text out = {0};

    assert_int_equal(table_write(table, terminal, &out), 0);
    text_append_char(&out, '\0');
    assert_string_equal(out.data, expected);
}

static struct table *table_of_two_rows(void)
{
    struct table *table = table_new(columns, 3);

    assert_non_null(table);
    table_add(table, "cycles", STYLE_PLAIN);
    table_add_format(table, STYLE_GOOD, "%d", 12345678);
    table_add(table, "", STYLE_PLAIN);
    table_add(table, "cs", STYLE_PLAIN);
    table_add(table, "7", STYLE_BAD);
    table_add(table, "switches between tasks", STYLE_FAINT);
    return table;
}

static void cells_stand_below_each_other(void **state)
{
    AUTO(table) struct table *table = table_of_two_rows();

    (void)state;
    assert_written(table, &paper,
                   "event      count  description\n"
                   "cycles  12345678\n"
                   "cs             7  switches between tasks\n");
}

static void a_narrow_terminal_cuts_one_column(void **state)
{
    AUTO(table) struct table *table = table_of_two_rows();
    const struct terminal terminal = {.is_terminal = true, .width = 30};

    (void)state;
    assert_written(table, &terminal,
                   "event      count  description\n"
                   "cycles  12345678\n"
                   "cs             7  switches be…\n");
}

static void a_terminal_that_is_far_too_narrow_still_gets_the_beginning(void **state)
{
    AUTO(table) struct table *table = table_of_two_rows();
    const struct terminal terminal = {.is_terminal = true, .width = 5};

    (void)state;
    assert_written(table, &terminal,
                   "event      count  descrip…\n"
                   "cycles  12345678\n"
                   "cs             7  switche…\n");
}

static void of_columns_that_may_be_cut_the_last_one_gives_way_first(void **state)
{
    static const struct table_column three[] = {
        {.title = "share", .is_right = true},
        {.title = "function", .may_be_cut = true},
        {.title = "owner", .may_be_cut = true},
    };
    AUTO(table) struct table *table = table_new(three, 3);
    const struct terminal wide = {.is_terminal = true, .width = 36};
    const struct terminal narrow = {.is_terminal = true, .width = 27};
    const struct terminal far_too_narrow = {.is_terminal = true, .width = 5};

    (void)state;
    table_add(table, "50", STYLE_PLAIN);
    table_add(table, "do_something", STYLE_PLAIN);
    table_add(table, "a program of a long name", STYLE_PLAIN);
    assert_written(table, &wide,
                   "share  function      owner\n"
                   "   50  do_something  a program of a…\n");
    assert_written(table, &narrow,
                   "share  function    owner\n"
                   "   50  do_someth…  a progr…\n");
    assert_written(table, &far_too_narrow,
                   "share  function  owner\n"
                   "   50  do_some…  a progr…\n");
}

static void a_column_that_is_narrow_anyway_is_not_cut(void **state)
{
    static const struct table_column two[] = {{.may_be_cut = true}, {.may_be_cut = true}};
    AUTO(table) struct table *table = table_new(two, 2);
    const struct terminal terminal = {.is_terminal = true, .width = 14};

    (void)state;
    table_add(table, "do_something", STYLE_PLAIN);
    table_add(table, "abc", STYLE_PLAIN);
    assert_written(table, &terminal, "do_somet…  abc\n");
}

static void colour_is_around_the_text_and_does_not_move_it(void **state)
{
    AUTO(table) struct table *table = table_of_two_rows();
    const struct terminal terminal = {.is_terminal = true, .has_colour = true, .width = 80};

    (void)state;
    assert_written(table, &terminal,
                   "\x1b[1mevent\x1b[0m      \x1b[1mcount\x1b[0m  \x1b[1mdescription\x1b[0m\n"
                   "cycles  \x1b[32m12345678\x1b[0m\n"
                   "cs             \x1b[31m7\x1b[0m  \x1b[2mswitches between tasks\x1b[0m\n");
}

static void a_hostile_text_is_escaped_and_takes_the_room_that_it_shows(void **state)
{
    static const struct table_column two[] = {{0}, {0}};
    AUTO(table) struct table *table = table_new(two, 2);

    (void)state;
    table_add(table, "\x1b[2J", STYLE_PLAIN);
    table_add(table, "a\nb", STYLE_PLAIN);
    table_add(table, "x", STYLE_PLAIN);
    table_add(table, "y", STYLE_PLAIN);
    assert_written(table, &paper, "\\x1b[2J  a b\nx        y\n");
}

static void lines_between_rows_do_not_widen_the_columns(void **state)
{
    static const struct table_column two[] = {{0}, {0}};
    AUTO(table) struct table *table = table_new(two, 2);
    const struct terminal terminal = {.is_terminal = true, .width = 9};

    (void)state;
    table_add_line(table, "tracepoints:", STYLE_HEADING);
    table_add(table, "a", STYLE_PLAIN);
    table_add(table, "b", STYLE_PLAIN);
    table_add_line(table, "", STYLE_PLAIN);
    assert_written(table, &paper, "tracepoints:\na  b\n\n");
    assert_written(table, &terminal, "tracepoi…\na  b\n\n");
}

static void a_text_that_is_very_long_is_whole_in_a_pipe_and_moves_no_other_row(void **state)
{
    static const struct table_column two[] = {{.may_be_cut = true}, {0}};
    AUTO(table) struct table *table = table_new(two, 2);
    AUTO_TEXT struct text expected = {0};
    char name[501];

    (void)state;
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    table_add(table, name, STYLE_PLAIN);
    table_add(table, "a", STYLE_PLAIN);
    table_add(table, "y", STYLE_PLAIN);
    table_add(table, "b", STYLE_PLAIN);
    text_append_format(&expected, "%s  a\n%-60s  b\n", name, "y");
    text_append_char(&expected, '\0');
    assert_written(table, &paper, expected.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_stand_below_each_other),
        cmocka_unit_test(a_narrow_terminal_cuts_one_column),
        cmocka_unit_test(a_terminal_that_is_far_too_narrow_still_gets_the_beginning),
        cmocka_unit_test(of_columns_that_may_be_cut_the_last_one_gives_way_first),
        cmocka_unit_test(a_column_that_is_narrow_anyway_is_not_cut),
        cmocka_unit_test(colour_is_around_the_text_and_does_not_move_it),
        cmocka_unit_test(a_hostile_text_is_escaped_and_takes_the_room_that_it_shows),
        cmocka_unit_test(lines_between_rows_do_not_widen_the_columns),
        cmocka_unit_test(a_text_that_is_very_long_is_whole_in_a_pipe_and_moves_no_other_row),
    };

    return cmocka_run_group_tests_name("tool_table", tests, NULL, NULL);
}
