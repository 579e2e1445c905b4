/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/state.h"

#include <curses.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define ESCAPE          0x1b
#define CONTROL(letter) ((letter) - 'A' + 1)

const struct top_key_help top_key_helps[] = {
    {"q F10", "quit"},
    {"Up Down k j", "move by a line"},
    {"PgUp PgDn", "move by a page"},
    {"Home End", "move to the first or last line"},
    {"< > Left Right", "sort by the column before or behind"},
    {"r", "sort the other way round"},
    {"/", "show only names that contain a text; Esc shows all again"},
    {"c", "show cgroups"},
    {"p", "show processes"},
    {"a", "show both"},
    {"t", "show cgroups as a tree"},
    {"i", "leave out what used no CPU time"},
    {"Space", "pause, and go on"},
    {"h ?", "this help"},
    {NULL, NULL},
};

static void erase_character(struct top_state *state)
{
    size_t length = strlen(state->filter);

    while (length > 0 && ((unsigned char)state->filter[length - 1] & 0xc0) == 0x80)
        length--; /* bytes that continue a character of UTF-8 */
    if (length > 0)
        state->filter[length - 1] = '\0';
}

static void type_character(struct top_state *state, wint_t key)
{
    char bytes[MB_LEN_MAX];
    mbstate_t shift = {0};
    const size_t n = wcrtomb(bytes, (wchar_t)key, &shift), length = strlen(state->filter);

    if (n == (size_t)-1 || length + n > TOP_LONGEST_FILTER)
        return;
    memcpy(state->filter + length, bytes, n);
    state->filter[length + n] = '\0';
}

static void end_filter(struct top_state *state)
{
    state->filter[0] = '\0';
    state->is_typing = false;
}

static enum top_action type(struct top_state *state, wint_t key, bool is_function)
{
    if (is_function ? key == KEY_ENTER : key == '\n' || key == '\r')
        state->is_typing = false;
    else if (is_function ? key == KEY_BACKSPACE : key == 0x7f || key == CONTROL('H'))
        erase_character(state);
    else if (!is_function && key == CONTROL('U'))
        state->filter[0] = '\0';
    else if (!is_function && key == ESCAPE)
        end_filter(state);
    else if (!is_function && key >= ' ')
        type_character(state, key);
    else
        return TOP_NOTHING;
    state->scroll = 0;
    return TOP_REDRAW;
}

static void move_up(struct top_state *state, size_t lines)
{
    state->scroll -= lines < state->scroll ? lines : state->scroll;
}

/* Moves to the next column of the table to the right (1) or to the left (-1), if there is one. */
static void move_order(struct top_state *state, int step)
{
    int order = (int)state->settings.order;

    do
        order += step;
    while (order >= 0 && order < N_TOP_ORDERS && !state->has[order]);
    if (order >= 0 && order < N_TOP_ORDERS)
        state->settings.order = (enum top_column_id)order;
}

static enum top_action take_function(struct top_state *state, wint_t key)
{
    switch (key) {
    case KEY_UP:
        move_up(state, 1);
        break;
    case KEY_DOWN:
        state->scroll++;
        break;
    case KEY_PPAGE:
        move_up(state, state->page);
        break;
    case KEY_NPAGE:
        state->scroll += state->page;
        break;
    case KEY_HOME:
        state->scroll = 0;
        break;
    case KEY_END:
        state->scroll = SIZE_MAX / 2;
        break;
    case KEY_LEFT:
        move_order(state, -1);
        break;
    case KEY_RIGHT:
        move_order(state, 1);
        break;
    case KEY_F(1):
        state->shows_help = true;
        break;
    case KEY_F(10):
        return TOP_QUIT;
    default:
        return TOP_NOTHING;
    }
    return TOP_REDRAW;
}

/* Takes a key that sorts by a column of the table. */
static enum top_action take_order(struct top_state *state, wint_t key)
{
    for (enum top_column_id id = 0; id < N_TOP_ORDERS; id++)
        if ((wint_t)top_columns[id].key == key && state->has[id]) {
            state->settings.order = id;
            return TOP_REDRAW;
        }
    return TOP_NOTHING;
}

static enum top_action show(struct top_state *state, enum top_show show)
{
    state->settings.show = show;
    state->scroll = 0;
    return TOP_REDRAW;
}

static enum top_action toggle(bool *what)
{
    *what = !*what;
    return TOP_REDRAW;
}

static enum top_action take_letter(struct top_state *state, wint_t key)
{
    switch (key) {
    case 'q':
        return TOP_QUIT;
    case 'k':
        return take_function(state, KEY_UP);
    case 'j':
        return take_function(state, KEY_DOWN);
    case '<':
        return take_function(state, KEY_LEFT);
    case '>':
        return take_function(state, KEY_RIGHT);
    case 'r':
        return toggle(&state->settings.reverse);
    case 't':
        return toggle(&state->settings.tree);
    case 'i':
        return toggle(&state->settings.hide_idle);
    case ' ':
        return toggle(&state->is_paused);
    case '/':
        return toggle(&state->is_typing);
    case 'h':
    case '?':
        return toggle(&state->shows_help);
    case ESCAPE:
        end_filter(state);
        return TOP_REDRAW;
    case 'c':
        return show(state, TOP_SHOW_CGROUPS);
    case 'p':
        return show(state, TOP_SHOW_PROCESSES);
    case 'a':
        return show(state, TOP_SHOW_ALL);
    default:
        return take_order(state, key);
    }
}

enum top_action top_state_take_key(struct top_state *state, wint_t key, bool is_function)
{
    if (state->is_typing)
        return type(state, key, is_function);
    if (state->shows_help && (is_function || key != 'q')) {
        state->shows_help = false;
        return TOP_REDRAW;
    }
    return is_function ? take_function(state, key) : take_letter(state, key);
}
