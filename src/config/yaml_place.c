/* SPDX-License-Identifier: Apache-2.0 */
#include "config/yaml_place.h"

#include <string.h>

#define BEGINS_CHARACTER(c) (((unsigned char)(c)&0xc0) != 0x80)

struct config_place yaml_place_of(const char *text, size_t offset)
{
    struct config_place place = {1, 1};

    for (size_t i = 0; i < offset; i++) {
        bool ends_line =
            text[i] == '\n' || (text[i] == '\r' && !(i + 1 < offset && text[i + 1] == '\n'));

        if (ends_line)
            place = (struct config_place){place.line + 1, 1};
        else if (BEGINS_CHARACTER(text[i]))
            place.column++;
    }
    return place;
}

/* The offset of a place in the text; `length` if the text has no such place. */
static size_t offset_of(const char *text, size_t length, struct config_place place)
{
    size_t offset = 0;

    for (unsigned line = 1; line < place.line && offset < length; offset++)
        if (text[offset] == '\n' ||
            (text[offset] == '\r' && (offset + 1 == length || text[offset + 1] != '\n')))
            line++;
    for (unsigned column = 1; offset < length; offset++) {
        if (BEGINS_CHARACTER(text[offset]) && column++ == place.column)
            break;
    }
    return offset;
}

struct config_place yaml_place_inside(const char *text, size_t length,
                                      const struct config_word *word, size_t offset)
{
    size_t at = offset_of(text, length, word->place), n = strlen(word->text);
    struct config_place place = word->place;

    if (at < length && (text[at] == '"' || text[at] == '\'')) {
        at++;
        place.column++;
    }
    if (length - at < n || memcmp(text + at, word->text, n) != 0)
        return word->place;
    place.column += yaml_place_of(word->text, offset).column - 1;
    return place;
}
