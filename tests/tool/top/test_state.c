/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <curses.h>
#include <locale.h>
#include <string.h>

#include "tool/top/state.h"

#define ESCAPE 0x1b

static int set_up(void **state)
{
    static struct top_state top;

    top = (struct top_state){.page = 10};
    for (enum top_column_id id = 0; id < N_TOP_ORDERS; id++)
        top.has[id] = id != TOP_COLUMN_IPC;
    *state = &top;
    return setlocale(LC_CTYPE, "C.UTF-8") ? 0 : -1;
}

static void press(struct top_state *top, const char *keys)
{
    for (; *keys; keys++)
        assert_int_equal(TOP_REDRAW, top_state_take_key(top, (wint_t)*keys, false));
}

static void press_function(struct top_state *top, wint_t key)
{
    assert_int_equal(TOP_REDRAW, top_state_take_key(top, key, true));
}

static void letters_change_what_is_shown(void **state)
{
    struct top_state *top = *state;

    press(top, "p");
    assert_int_equal(TOP_SHOW_PROCESSES, top->settings.show);
    press(top, "a");
    assert_int_equal(TOP_SHOW_ALL, top->settings.show);
    press(top, "c");
    assert_int_equal(TOP_SHOW_CGROUPS, top->settings.show);
    press(top, "tri ");
    assert_true(top->settings.tree && top->settings.reverse && top->settings.hide_idle);
    assert_true(top->is_paused);
    press(top, "tri ");
    assert_false(top->settings.tree || top->settings.reverse || top->settings.hide_idle);
    assert_false(top->is_paused);
}

static void q_and_f10_end_it(void **state)
{
    assert_int_equal(TOP_QUIT, top_state_take_key(*state, 'q', false));
    assert_int_equal(TOP_QUIT, top_state_take_key(*state, KEY_F(10), true));
}

static void a_key_without_a_meaning_does_nothing(void **state)
{
    assert_int_equal(TOP_NOTHING, top_state_take_key(*state, 'z', false));
    assert_int_equal(TOP_NOTHING, top_state_take_key(*state, KEY_F(7), true));
    assert_int_equal(TOP_NOTHING, top_state_take_key(*state, 0x6f22, false));
}

static void capitals_sort_by_columns_that_are_there(void **state)
{
    struct top_state *top = *state;

    press(top, "W");
    assert_int_equal(TOP_COLUMN_SWITCHES, top->settings.order);
    press(top, "N");
    assert_int_equal(TOP_COLUMN_NAME, top->settings.order);
    assert_int_equal(TOP_NOTHING, top_state_take_key(top, 'I', false));
    assert_int_equal(TOP_COLUMN_NAME, top->settings.order);
}

static void arrows_move_the_order_over_columns_that_are_there(void **state)
{
    struct top_state *top = *state;

    press(top, ">");
    assert_int_equal(TOP_COLUMN_CACHE_MISSES, top->settings.order); /* There is no IPC. */
    press_function(top, KEY_LEFT);
    assert_int_equal(TOP_COLUMN_CPUS, top->settings.order);
    press(top, "<");
    assert_int_equal(TOP_COLUMN_CPUS, top->settings.order);
    for (size_t i = 0; i < 20; i++)
        press_function(top, KEY_RIGHT);
    assert_int_equal(TOP_COLUMN_NAME, top->settings.order);
}

static void keys_scroll_and_stop_at_the_first_line(void **state)
{
    struct top_state *top = *state;

    press_function(top, KEY_NPAGE);
    press_function(top, KEY_DOWN);
    press(top, "jk");
    assert_int_equal(11, top->scroll);
    press_function(top, KEY_PPAGE);
    press_function(top, KEY_UP);
    press_function(top, KEY_UP);
    assert_int_equal(0, top->scroll);
    press_function(top, KEY_END);
    assert_true(top->scroll > 1000000);
    press_function(top, KEY_HOME);
    assert_int_equal(0, top->scroll);
}

static void a_filter_is_typed_and_kept_or_dropped(void **state)
{
    struct top_state *top = *state;

    top->scroll = 5;
    press(top, "/qt");
    assert_string_equal("qt", top->filter); /* They are text now, and no commands. */
    assert_int_equal(0, top->scroll);
    (void)top_state_take_key(top, 0xe9, false);
    (void)top_state_take_key(top, 0x6f22, false);
    assert_string_equal("qt\xc3\xa9\xe6\xbc\xa2", top->filter);
    press_function(top, KEY_BACKSPACE);
    press(top, "\x7f\b");
    assert_string_equal("q", top->filter); /* Whole characters were taken away. */
    press(top, "\n");
    assert_false(top->is_typing);
    assert_string_equal("q", top->filter);
    (void)top_state_take_key(top, ESCAPE, false);
    assert_string_equal("", top->filter);
    press(top, "/abc");
    (void)top_state_take_key(top, ESCAPE, false);
    assert_string_equal("", top->filter);
    assert_false(top->is_typing);
}

static void a_filter_has_a_longest_length(void **state)
{
    struct top_state *top = *state;

    press(top, "/");
    for (size_t i = 0; i < 2 * TOP_LONGEST_FILTER; i++)
        (void)top_state_take_key(top, 0x6f22, false);
    assert_int_equal(TOP_LONGEST_FILTER / 3 * 3, strlen(top->filter));
    press(top, "\x15"); /* Control-U */
    assert_string_equal("", top->filter);
}

static void any_key_closes_the_help_and_q_still_quits(void **state)
{
    struct top_state *top = *state;

    press(top, "h");
    assert_true(top->shows_help);
    press(top, "t");
    assert_false(top->shows_help);
    assert_false(top->settings.tree);
    press(top, "?");
    assert_int_equal(TOP_QUIT, top_state_take_key(top, 'q', false));
}

static void no_two_keys_are_the_same(void **state)
{
    (void)state;
    for (enum top_column_id a = 0; a < N_TOP_ORDERS; a++)
        for (enum top_column_id b = 0; b < a; b++) {
            assert_int_not_equal(top_columns[a].key, top_columns[b].key);
            assert_string_not_equal(top_columns[a].name, top_columns[b].name);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, set_up)
        TEST(letters_change_what_is_shown),
        TEST(q_and_f10_end_it),
        TEST(a_key_without_a_meaning_does_nothing),
        TEST(capitals_sort_by_columns_that_are_there),
        TEST(arrows_move_the_order_over_columns_that_are_there),
        TEST(keys_scroll_and_stop_at_the_first_line),
        TEST(a_filter_is_typed_and_kept_or_dropped),
        TEST(a_filter_has_a_longest_length),
        TEST(any_key_closes_the_help_and_q_still_quits),
        TEST(no_two_keys_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
