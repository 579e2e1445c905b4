/* SPDX-License-Identifier: Apache-2.0 */
#include "event/tracepoint_fields.h"

#include <stdbool.h>
#include <stdlib.h>
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

/* The number behind a word of a line of fields, as in "offset:16;". False: there is none. */
static bool read_number(const char *line, size_t n, const char *word, uint32_t *ret_number)
{
    const char *found = memmem(line, n, word, strlen(word));
    char *end;
    unsigned long number;

    if (!found)
        return false;
    number = strtoul(found + strlen(word), &end, 10);
    if (*end != ';' || number > UINT16_MAX)
        return false;
    *ret_number = (uint32_t)number;
    return true;
}

/* Whether a declaration ("unsigned long rq") is of this name, and of a number. */
static bool declares(const char *text, size_t n, const char *name)
{
    const size_t n_name = strlen(name);

    return n > n_name && memcmp(text + n - n_name, name, n_name) == 0 &&
           !is_word_character(text[n - n_name - 1]) &&
           strncmp(text, "__data_loc", strlen("__data_loc")) != 0 &&
           strncmp(text, "__rel_loc", strlen("__rel_loc")) != 0;
}

static bool is_size_of_number(uint32_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

bool tracepoint_find_field(const char *format, const char *name, struct event_field *ret_field)
{
    const char *line = format;

    if (!*name || strncmp(name, COMMON, strlen(COMMON)) == 0)
        return false;
    while (line) {
        const size_t n_line = strcspn(line, "\n");
        const char *begin = line + strspn(line, " \t");
        struct event_field field;

        if (strncmp(begin, FIELD, strlen(FIELD)) == 0 &&
            declares(begin + strlen(FIELD), strcspn(begin + strlen(FIELD), ";\n"), name))
            if (read_number(line, n_line, "offset:", &field.offset) &&
                read_number(line, n_line, "size:", &field.size) && is_size_of_number(field.size)) {
                *ret_field = field;
                return true;
            }
        line = line[n_line] ? line + n_line + 1 : NULL;
    }
    return false;
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

void tracepoint_append_missing(const char *fields, const char *name, struct text *fault)
{
    text_append_format(fault, "it has no field %s that is a number of 1, 2, 4 or 8 bytes", name);
    append_nearest(fields, name, fault);
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
