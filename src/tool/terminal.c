/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"

#define USUAL_WIDTH 80
#define ELLIPSIS    "\xe2\x80\xa6"

/* SGR sequences of ECMA-48, which all terminals know that are not dumb. */
static const char *const begin_style[STYLE_COUNT_] = {
    [STYLE_PLAIN] = "",        [STYLE_HEADING] = "\x1b[1m",  [STYLE_FAINT] = "\x1b[2m",
    [STYLE_GOOD] = "\x1b[32m", [STYLE_WARNING] = "\x1b[33m", [STYLE_BAD] = "\x1b[31m",
};

const char *terminal_begin_style(enum style style)
{
    return begin_style[style];
}

const char *terminal_end_style(enum style style)
{
    return style == STYLE_PLAIN ? "" : "\x1b[0m";
}

/* https://no-color.org: the variable counts if it is there and not empty. */
static bool wants_colour(void)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

    return !(no_colour && *no_colour) && term && *term && strcmp(term, "dumb") != 0;
}

struct terminal terminal_of(int fd)
{
    struct terminal terminal = {.is_terminal = isatty(fd) == 1};
    struct winsize size = {0};

    if (!terminal.is_terminal)
        return terminal;
    terminal.has_colour = wants_colour();
    terminal.width =
        ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL_WIDTH;
    return terminal;
}

/* C0, DEL and C1: some of them begin a command to a terminal. */
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

/* Appends the next character as it is shown, and tells its length in the string and its columns. */
static size_t append_character(struct text *out, const char *string, size_t *ret_columns)
{
    uint32_t code = 0;
    const size_t length = utf8_decode(string, UTF8_LONGEST, &code);
    size_t before = out->length;

    *ret_columns = 1;
    if (length > 0 && !is_control(code)) {
        text_append(out, string, length);
        return length;
    }
    if (*string == '\n' || *string == '\t') {
        text_append_char(out, ' ');
        return 1;
    }
    for (size_t i = 0; i < (length ? length : 1); i++)
        text_append_format(out, "\\x%02x", (unsigned char)string[i]);
    *ret_columns = out->length - before;
    return length ? length : 1;
}

size_t terminal_append_shown(struct text *out, const char *string, size_t width)
{
    size_t columns = 0, cut_at = out->length, cut_columns = 0;

    while (*string) {
        size_t added = 0;

        /* Here the text can be cut, with room for an ellipsis behind it. */
        if (width > 0 && columns + 1 <= width) {
            cut_at = out->length;
            cut_columns = columns;
        }
        string += append_character(out, string, &added);
        columns += added;
        if (width > 0 && columns > width && !out->failed) {
            out->length = cut_at;
            text_append_string(out, ELLIPSIS);
            return cut_columns + 1;
        }
    }
    return columns;
}
