/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/map_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parse.h"

void map_lines_done(struct map_lines *lines)
{
    free(lines->lines);
    *lines = (struct map_lines){0};
}

/* Reads a number, which may have 0x in front as the JDK writes it, and the blank behind it. */
static bool read_number(const char **text, const char *end, uint64_t *ret_value)
{
    const char *digit = *text;
    uint64_t value = 0;

    if (end - digit > 2 && digit[0] == '0' && digit[1] == 'x')
        digit += 2;
    *text = digit;
    for (; digit < end && digit_value(*digit) >= 0; digit++) {
        if (value >> 60)
            return false;
        value = value << 4 | (uint64_t)digit_value(*digit);
    }
    if (digit == *text || digit == end || *digit != ' ')
        return false;
    *text = digit + 1;
    *ret_value = value;
    return true;
}

static bool read_line(const char *text, const char *end, struct map_line *line)
{
    uint64_t size;

    if (!read_number(&text, end, &line->start) || !read_number(&text, end, &size) || size == 0 ||
        size > UINT64_MAX - line->start || text == end)
        return false;
    line->end = line->start + size;
    line->name = text;
    line->length = (size_t)(end - text);
    return true;
}

/* Where the last `most` lines of a text begin. */
static const char *find_last_lines(const char *text, const char *end, size_t most)
{
    const char *line = end;

    while (line > text && most > 0) {
        const char *newline =
            line - 1 > text ? memrchr(text, '\n', (size_t)(line - 1 - text)) : NULL;

        line = newline ? newline + 1 : text;
        most--;
    }
    return line;
}

static int add_line(struct map_lines *lines, const struct map_line *line)
{
    struct map_line *grown =
        array_reserve(lines->lines, sizeof(*grown), &lines->capacity, lines->n + 1);

    if (!grown)
        return -ENOMEM;
    lines->lines = grown;
    lines->lines[lines->n++] = *line;
    return 0;
}

int map_lines_parse(const char *text, size_t n, size_t most, struct map_lines *ret_lines)
{
    AUTO_MAP_LINES struct map_lines lines = {0};
    const char *const end = text + n;

    for (text = find_last_lines(text, end, most); text < end;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *line_end = newline ? newline : end;
        struct map_line line = {.number = lines.n};

        if (read_line(text, line_end, &line) && add_line(&lines, &line) < 0)
            return -ENOMEM;
        text = line_end + 1;
    }
    *ret_lines = lines;
    lines = (struct map_lines){0};
    return 0;
}
