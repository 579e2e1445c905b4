/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tool/safe_text.h"

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
    terminal.height = size.ws_row;
    return terminal;
}

/* Appends the text in one line, whole. */
static void append_line(struct text *safe, const char *string)
{
    while (*string) {
        const size_t n = strcspn(string, "\n\t");

        safe_text_append(safe, string, n);
        string += n;
        if (*string) {
            text_append_char(safe, ' ');
            string++;
        }
    }
}

size_t terminal_append_shown(struct text *out, const char *string, size_t width)
{
    AUTO_TEXT struct text safe = {0};
    size_t columns;

    append_line(&safe, string);
    out->failed |= safe.failed;
    if (safe.failed || safe.length == 0)
        return 0;
    columns = safe_text_width(safe.data, safe.length);
    if (width == 0 || columns <= width) {
        text_append(out, safe.data, safe.length);
        return columns;
    }
    columns = safe_text_append_start(out, safe.data, safe.length, width - 1);
    text_append_string(out, ELLIPSIS);
    return columns + 1;
}
