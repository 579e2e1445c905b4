/* SPDX-License-Identifier: Apache-2.0 */
#include "event/tracepoint_fields.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "event/nearest.h"

#define WORD_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
#define FIELD           "field:"
#define COMMON          "common_"

static bool is_word_character(char c)
{
    return c && strchr(WORD_CHARACTERS, c);
}

/* The name of a field is the last word before the semicolon, and before the size of an array. */
static void append_field(const char *text, size_t n, struct text *fields)
{
    const char *bracket = n > 0 && text[n - 1] == ']' ? memrchr(text, '[', n) : NULL;
    const char *end = bracket ? bracket : text + n;
    const char *begin;

    while (end > text && !is_word_character(end[-1]))
        end--;
    begin = end;
    while (begin > text && is_word_character(begin[-1]))
        begin--;
    if (begin == end || strncmp(begin, COMMON, strlen(COMMON)) == 0)
        return;
    if (fields->length > 0)
        text_append_string(fields, ", ");
    text_append(fields, begin, (size_t)(end - begin));
}

void tracepoint_append_fields(const char *format, struct text *fields)
{
    const char *line = format;

    while (line) {
        const size_t n_line = strcspn(line, "\n");
        const char *begin = line + strspn(line, " \t");

        if (strncmp(begin, FIELD, strlen(FIELD)) == 0) {
            const char *type = begin + strlen(FIELD);

            append_field(type, strcspn(type, ";\n"), fields);
        }
        line = line[n_line] ? line + n_line + 1 : NULL;
    }
}

/* Names that the kernel takes in every filter, beside the fields that all tracepoints have. */
static const char *const always_there[] = {"cpu",  "CPU",        "comm",
                                           "COMM", "stacktrace", "STACKTRACE"};

static bool is_field(const char *fields, const char *name, size_t n)
{
    for (size_t i = 0; i < ARRAY_SIZE(always_there); i++)
        if (strlen(always_there[i]) == n && memcmp(always_there[i], name, n) == 0)
            return true;
    if (n > strlen(COMMON) && memcmp(name, COMMON, strlen(COMMON)) == 0)
        return true;
    for (const char *field = fields; *field; field += strspn(field, ", ")) {
        const size_t n_field = strcspn(field, ",");

        if (n_field == n && memcmp(field, name, n) == 0)
            return true;
        field += n_field;
    }
    return false;
}

static void append_nearest(const char *fields, const char *name, struct text *fault)
{
    char field[NEAREST_WORD_SIZE];
    struct nearest nearest;

    if (!nearest_init(&nearest, name))
        return;
    for (const char *next = fields; *next; next += strspn(next, ", ")) {
        const size_t n = strcspn(next, ",");

        if (n < sizeof(field)) {
            memcpy(field, next, n);
            field[n] = '\0';
            nearest_offer(&nearest, field);
        }
        next += n;
    }
    if (nearest.best[0])
        text_append_format(fault, "; did you mean %s?", nearest.best);
}

static void append_unknown(const char *fields, const char *name, size_t n, struct text *fault)
{
    AUTO_FREE char *copy = strndup(name, n);

    if (!copy) {
        fault->failed = true;
        return;
    }
    text_append_format(fault, "the filter has %s, which is none of the fields (%s)", copy, fields);
    append_nearest(fields, copy, fault);
}

/* The end of a text in quotes that begins here, or of the whole text. */
static const char *skip_quoted(const char *text)
{
    const char *end = strchr(text + 1, *text);

    return end ? end + 1 : text + strlen(text);
}

/*
 * A field stands where a condition begins: at the start, behind `&&`, `||`, `!` and `(`. A word
 * elsewhere is a value.
 */
void tracepoint_append_fault(const char *fields, const char *filter, struct text *fault)
{
    bool begins = true;

    for (const char *at = filter; *at;) {
        const size_t n = strspn(at, WORD_CHARACTERS);

        if (n > 0 && begins && !is_field(fields, at, n)) {
            append_unknown(fields, at, n, fault);
            return;
        }
        if (n > 0) {
            begins = false;
            at += n;
        } else if (*at == '"' || *at == '\'') {
            at = skip_quoted(at);
        } else {
            begins = strchr("(|!", *at) || (*at == '&' && at[1] == '&') || (begins && *at != '=');
            at += *at == '&' && at[1] == '&' ? 2 : 1;
        }
    }
}
