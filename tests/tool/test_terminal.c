/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tool/terminal.h"

/* Shows the text in so many columns and compares; returns the columns that were appended. */
static size_t shown(const char *string, size_t width, const char *expected)
{
    AUTO_TEXT struct text out = {0};
    const size_t columns = terminal_append_shown(&out, string, width);

    text_append_char(&out, '\0');
    assert_int_equal(text_error(&out), 0);
    assert_string_equal(out.data, expected);
    return columns;
}

static void plain_text_stays_as_it_is(void **state)
{
    (void)state;
    assert_int_equal(shown("", 0, ""), 0);
    assert_int_equal(shown("cycles", 0, "cycles"), 6);
    assert_int_equal(shown("Größe", 0, "Größe"), 5);
}

static void nothing_that_steers_a_terminal_is_left(void **state)
{
    (void)state;
    assert_int_equal(shown("a\x1b[31mb", 0, "a\\x1b[31mb"), 10);
    shown("a\x7f", 0, "a\\x7f");
    shown("\xc2\x9b"
          "2J",
          0, "\\u009b2J"); /* CSI of C1 */
    shown("\x9b"
          "2J",
          0, "\\x9b2J"); /* the same as one byte, which is no UTF-8 */
    shown("a\nb\tc", 0, "a b c");
    shown("a\r", 0, "a\\x0d");
}

static void a_long_text_is_cut_with_an_ellipsis(void **state)
{
    (void)state;
    assert_int_equal(shown("cycles", 6, "cycles"), 6);
    assert_int_equal(shown("cycles", 5, "cycl…"), 5);
    assert_int_equal(shown("cycles", 1, "…"), 1);
    assert_int_equal(shown("Größe", 4, "Grö…"), 4);
}

static void a_character_of_two_columns_is_shown_whole_or_not_at_all(void **state)
{
    (void)state;
    assert_int_equal(shown("\xe6\xbc\xa2z", 0, "\xe6\xbc\xa2z"), 3);
    assert_int_equal(shown("a\xe6\xbc\xa2z", 4, "a\xe6\xbc\xa2z"), 4);
    assert_int_equal(shown("a\xe6\xbc\xa2z", 3, "a…"), 2);
}

static void a_pipe_has_no_colour_and_no_width(void **state)
{
    int ends[2];
    struct terminal terminal;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    terminal = terminal_of(ends[1]);
    assert_false(terminal.is_terminal);
    assert_false(terminal.has_colour);
    assert_int_equal(terminal.width, 0);
    close(ends[0]);
    close(ends[1]);
}

static int open_terminal(unsigned short columns)
{
    const struct winsize size = {.ws_col = columns, .ws_row = 10};
    const int fd = posix_openpt(O_RDWR | O_NOCTTY);

    assert_true(fd >= 0);
    assert_int_equal(unlockpt(fd), 0);
    assert_int_equal(ioctl(fd, TIOCSWINSZ, &size), 0);
    return fd;
}

static void a_terminal_has_its_width_and_colour_unless_the_environment_forbids_it(void **state)
{
    const int fd = open_terminal(57);

    (void)state;
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    assert_int_equal(terminal_of(fd).width, 57);
    assert_true(terminal_of(fd).has_colour);
    setenv("TERM", "dumb", 1);
    assert_false(terminal_of(fd).has_colour);
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", "1", 1);
    assert_false(terminal_of(fd).has_colour);
    setenv("NO_COLOR", "", 1);
    assert_true(terminal_of(fd).has_colour);
    unsetenv("TERM");
    assert_false(terminal_of(fd).has_colour);
    close(fd);
}

static void a_terminal_that_tells_no_width_has_80_columns(void **state)
{
    const int fd = open_terminal(0);

    (void)state;
    assert_int_equal(terminal_of(fd).width, 80);
    close(fd);
}

static int use_unicode(void **state)
{
    (void)state;
    return setlocale(LC_CTYPE, "C.UTF-8") ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_stays_as_it_is),
        cmocka_unit_test(nothing_that_steers_a_terminal_is_left),
        cmocka_unit_test(a_long_text_is_cut_with_an_ellipsis),
        cmocka_unit_test(a_character_of_two_columns_is_shown_whole_or_not_at_all),
        cmocka_unit_test(a_pipe_has_no_colour_and_no_width),
        cmocka_unit_test(a_terminal_has_its_width_and_colour_unless_the_environment_forbids_it),
        cmocka_unit_test(a_terminal_that_tells_no_width_has_80_columns),
    };

    return cmocka_run_group_tests_name("tool_terminal", tests, use_unicode, NULL);
}
