/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Names that strangers have chosen, in the log. What is written is one line, in which each value
 * reads back: as it was, but for bytes that are no UTF-8, and cut where it is long.
 */

#include <jansson.h>
#include <stdarg.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "log/log_line.h"

#define REPLACED "\xef\xbf\xbd" /* U+FFFD */
#define ELLIPSIS "\xe2\x80\xa6"

static void append(struct text *text, const struct log_line *line, ...)
{
    va_list fields;

    va_start(fields, line);
    log_line_append(text, line, fields);
    va_end(fields);
    FUZZ_CHECK(text_error(text) == 0);
}

/* The value in UTF-8, whole. */
static char *repaired(const char *value)
{
    struct text text = {0};
    uint32_t code;

    while (*value) {
        const size_t n = utf8_decode(value, UTF8_LONGEST, &code);

        text_append(&text, n ? value : REPLACED, n ? n : strlen(REPLACED));
        value += n ? n : 1;
    }
    return text_take(&text);
}

/* A value is what was meant, or the beginning of it and an ellipsis. */
static void check_value(const char *value, const char *whole)
{
    const size_t n = strlen(value), n_ellipsis = strlen(ELLIPSIS);

    if (strcmp(value, whole) == 0)
        return;
    FUZZ_CHECK(n >= n_ellipsis && strcmp(value + n - n_ellipsis, ELLIPSIS) == 0);
    FUZZ_CHECK(n <= LOG_VALUE_LONGEST && n + UTF8_LONGEST > LOG_VALUE_LONGEST);
    FUZZ_CHECK(strncmp(value, whole, n - n_ellipsis) == 0 && strlen(whole) > n - n_ellipsis);
}

/* One line, without a byte that a terminal would take for a command. */
static void check_line(const struct text *line)
{
    FUZZ_CHECK(line->length > 0 && line->length <= LOG_LINE_LONGEST);
    FUZZ_CHECK(line->data[line->length - 1] == '\n');
    for (size_t i = 0; i + 1 < line->length; i++)
        FUZZ_CHECK((unsigned char)line->data[i] >= ' ' && line->data[i] != 0x7f);
}

static unsigned hex(const char *at)
{
    const char digits[] = {at[0], at[1], at[2], at[3], '\0'};

    return (unsigned)strtoul(digits, NULL, 16);
}

/* Reads one character of a quoted value, and returns what stands behind it. */
static const char *read_escaped(const char *at, struct text *value)
{
    static const char letters[] = "\"\\nrt", meant[] = "\"\\\n\r\t";

    if (at[0] != '\\') {
        text_append_char(value, at[0]);
        return at + 1;
    }
    if (at[1] != 'u') {
        const char *const found = strchr(letters, at[1]);

        FUZZ_CHECK(at[1] && found);
        text_append_char(value, meant[found - letters]);
        return at + 2;
    }
    if (hex(at + 2) >= 0x80) /* of C1, which has two bytes of UTF-8 */
        text_append_char(value, (char)0xc2);
    text_append_char(value, (char)hex(at + 2));
    return at + 6;
}

/* Reads a value of logfmt up to its end, and returns what stands behind it. */
static const char *read_value(const char *at, struct text *value)
{
    if (*at != '"') {
        const size_t n = strcspn(at, " \n");

        FUZZ_CHECK(!memchr(at, '=', n) && !memchr(at, '"', n));
        text_append(value, at, n);
        at += n;
    } else {
        for (at++; *at != '"';)
            at = read_escaped(at, value);
        at++;
    }
    text_append_char(value, '\0');
    return at;
}

static const char *expect(const char *at, const char *words)
{
    FUZZ_CHECK(strncmp(at, words, strlen(words)) == 0);
    return at + strlen(words);
}

/*
 * Reads a field, and returns what stands behind it. It is left out only where escapes, of six bytes
 * each, may have taken the room of it and of the field before.
 */
static const char *check_field(const char *at, const char *words, const char *whole)
{
    AUTO_TEXT struct text value = {0};

    if (strncmp(at, words, strlen(words)) != 0) {
        FUZZ_CHECK(12 * strlen(whole) > LOG_LINE_LONGEST - 64);
        return at;
    }
    at = read_value(at + strlen(words), &value);
    check_value(value.data, whole);
    return at;
}

static void check_logfmt(const char *name, const char *whole)
{
    const struct log_line line = {.level = LOG_LEVEL_WARN, .journal = true, .message = name};
    AUTO_TEXT struct text text = {0};
    const char *at;

    append(&text, &line, "name", name, "none", NULL, "end", "x", NULL);
    check_line(&text);
    text_append_char(&text, '\0');
    at = expect(text.data, "<4>level=warn");
    at = check_field(at, " msg=", whole);
    at = check_field(at, " name=", whole);
    if (strcmp(at, "\n") == 0)
        FUZZ_CHECK(text.length > LOG_LINE_LONGEST - 16);
    else
        FUZZ_CHECK(strcmp(at, " end=x\n") == 0);
}

static void check_json(const char *name, const char *whole)
{
    const struct log_line line = {.level = LOG_LEVEL_INFO,
                                  .format = LOG_FORMAT_JSON,
                                  .realtime_ns = UINT64_C(1700000000123000000),
                                  .message = "found"};
    AUTO_TEXT struct text text = {0};
    json_t *object;

    append(&text, &line, "name", name, NULL);
    check_line(&text);
    object = json_loadb(text.data, text.length, 0, NULL);
    FUZZ_CHECK(object && strcmp(json_string_value(json_object_get(object, "msg")), "found") == 0);
    FUZZ_CHECK(
        strcmp(json_string_value(json_object_get(object, "ts")), "2023-11-14T22:13:20.123Z") == 0);
    if (json_object_get(object, "name")) /* it is left out where its escapes take too much room */
        check_value(json_string_value(json_object_get(object, "name")), whole);
    else
        FUZZ_CHECK(strlen(whole) > LOG_VALUE_LONGEST / 2);
    json_decref(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *name = strndup((const char *)data, size), *whole = NULL;

    FUZZ_CHECK(name);
    whole = repaired(name);
    FUZZ_CHECK(whole);
    check_logfmt(name, whole);
    check_json(name, whole);
    return 0;
}
