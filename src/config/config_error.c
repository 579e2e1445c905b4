/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "base/utf8.h"
#include "target/clean_text.h"

#define LONGEST_SHOWN 10 /* bytes of one character: \U0001fffe */
#define CLOSING_ROOM  5  /* the three bytes of an ellipsis, a quote, NUL */

static void append(struct config_error *error, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static void append(struct config_error *error, const char *format, va_list arguments)
{
    size_t used = strlen(error->message);

    (void)vsnprintf(error->message + used, sizeof(error->message) - used, format, arguments);
}

int config_error_set(struct config_error *error, struct config_place place, const char *format, ...)
{
    va_list arguments;

    *error = (struct config_error){.place = place};
    va_start(arguments, format);
    append(error, format, arguments);
    va_end(arguments);
    return -EINVAL;
}

void config_error_add(struct config_error *error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    append(error, format, arguments);
    va_end(arguments);
}

void config_error_suggest(struct config_error *error, const char *word, const char *const *words,
                          size_t n_words)
{
    const char *nearest = suggest_nearest(word, words, n_words);

    if (!nearest)
        return;
    config_error_add(error, "; did you mean %s?", SHOWN(nearest));
    error->suggests = true;
}

void config_describe_failure(const char *path, int r, const struct config_error *error,
                             struct text *text)
{
    if (r != -EINVAL)
        text_append_format(text, "%s: %s\n", path, strerror(-r));
    else if (error->place.line == 0)
        text_append_format(text, "%s: %s\n", path, error->message);
    else
        text_append_format(text, "%s:%u:%u: %s\n", path, error->place.line, error->place.column,
                           error->message);
}

/* Shows the character at the beginning of a word; returns how many bytes of the word it is. */
static size_t show_character(const char *word, char **out)
{
    uint32_t code = 0;
    const size_t n = utf8_decode(word, UTF8_LONGEST, &code);

    if (n > 0 && text_is_clean(word, n)) {
        memcpy(*out, word, n);
        *out += n;
        return n;
    }
    *out += sprintf(*out,
                    code < 0x80      ? "\\x%02x"
                    : code < 0x10000 ? "\\u%04x"
                                     : "\\U%08x",
                    n > 0 ? code : (unsigned char)*word);
    return n > 0 ? n : 1;
}

const char *show_word(const char *word, struct shown_word *buffer)
{
    char *out = buffer->text, *limit = out + sizeof(buffer->text) - LONGEST_SHOWN - CLOSING_ROOM;

    *out++ = '"';
    while (*word && out < limit)
        word += show_character(word, &out);
    if (*word)
        out = stpcpy(out, "…");
    memcpy(out, "\"", sizeof("\""));
    return buffer->text;
}
