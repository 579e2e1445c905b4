/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

void text_done(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

void text_clear(struct text *text)
{
    text->length = 0;
    text->failed = false;
}

int text_error(const struct text *text)
{
    return text->failed ? -ENOMEM : 0;
}

bool text_grow(struct text *text, size_t more)
{
    size_t wanted, capacity;
    char *data;

    if (text->failed || __builtin_add_overflow(text->length, more, &wanted))
        return text->failed = true, false;
    if (wanted <= text->capacity)
        return true;
    capacity = text->capacity ? text->capacity : 64;
    while (capacity < wanted)
        capacity = capacity > SIZE_MAX / 2 ? wanted : capacity + capacity / 2;
    data = realloc(text->data, capacity);
    if (!data)
        return text->failed = true, false;
    text->data = data;
    text->capacity = capacity;
    return true;
}

char *text_take(struct text *text)
{
    char *string = NULL;

    text_append_char(text, '\0');
    if (!text->failed)
        string = TAKE(text->data);
    text_done(text);
    return string;
}

void text_append_string(struct text *text, const char *string)
{
    text_append(text, string, strlen(string));
}

/* It is formatted into the room that there is, and again only where that is too small. */
void text_append_format(struct text *text, const char *format, ...)
{
    const size_t room = text->capacity - text->length;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(room ? text->data + text->length : NULL, room, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length >= room) {
        if (!text_reserve(text, (size_t)length + 1))
            return;
        va_start(arguments, format);
        length = vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    if (length < 0)
        text->failed = true;
    else
        text->length += (size_t)length;
}
