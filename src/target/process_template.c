/* SPDX-License-Identifier: Apache-2.0 */
#include "target/process_template.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/suggest.h"

#define OPENING         "{{"
#define CLOSING         "}}"
#define MATCHES         ".Matches"
#define SPACES          " \t"
#define LONGEST_SHOWN   32 /* bytes of what the user wrote */
#define EXPECTED_FIELDS ".Comm, .ExeBase, .ExeFull, .Username, .PID, .StartTime or .Matches.NAME"

static const char *const field_names[] = {
    [PROCESS_COMM] = ".Comm",        [PROCESS_EXE_BASE] = ".ExeBase",
    [PROCESS_EXE_FULL] = ".ExeFull", [PROCESS_USERNAME] = ".Username",
    [PROCESS_PID] = ".PID",          [PROCESS_START_TIME] = ".StartTime",
    [PROCESS_FIELDS_] = MATCHES,
};

enum part_kind { PART_TEXT, PART_FIELD, PART_CAPTURE };

struct part {
    enum part_kind kind;
    size_t index;           /* of the field or capture */
    struct text_piece text; /* in the copy */
};

struct process_template {
    char *text; /* a copy */
    size_t n_parts;
    struct part parts[];
};

/* The text while it is read. */
struct reader {
    const char *text;
    size_t position;
    const char *const *captures;
    size_t n_captures;
    struct process_template *parsed;
    struct process_rule_error *error;
};

struct process_template *process_template_free(struct process_template *parsed)
{
    if (parsed)
        free(parsed->text);
    free(parsed);
    return NULL;
}

__attribute__((format(printf, 3, 4))) static int fail(const struct reader *reader, size_t offset,
                                                      const char *format, ...)
{
    va_list arguments;

    reader->error->offset = offset;
    va_start(arguments, format);
    (void)vsnprintf(reader->error->message, sizeof(reader->error->message), format, arguments);
    va_end(arguments);
    return -EINVAL;
}

/* Behind the message of fail(), where a word is near enough. */
static void suggest(const struct reader *reader, const char *before, const char *word,
                    const char *const *words, size_t n_words)
{
    const char *nearest = suggest_nearest(word, words, n_words);
    char *message = reader->error->message;
    size_t used = strlen(message);

    if (nearest)
        (void)snprintf(message + used, sizeof(reader->error->message) - used,
                       "; did you mean %s%s?", before, nearest);
}

/* A copy for messages, cut between characters. */
static void show(struct text_piece word, char ret_shown[static LONGEST_SHOWN + 1])
{
    size_t n = word.n < LONGEST_SHOWN ? word.n : LONGEST_SHOWN;

    while (n < word.n && n > 0 && ((unsigned char)word.bytes[n] & 0xc0) == 0x80)
        n--;
    memcpy(ret_shown, word.bytes, n);
    ret_shown[n] = '\0';
}

bool text_piece_is(struct text_piece piece, const char *text)
{
    return strlen(text) == piece.n && memcmp(piece.bytes, text, piece.n) == 0;
}

static void add(struct reader *reader, struct part part)
{
    reader->parsed->parts[reader->parsed->n_parts++] = part;
}

static int read_capture(struct reader *reader, struct text_piece name)
{
    size_t offset = (size_t)(name.bytes - reader->text);
    char shown[LONGEST_SHOWN + 1];
    int r;

    for (size_t i = reader->n_captures; i > 0; i--) {
        if (!text_piece_is(name, reader->captures[i - 1]))
            continue;
        add(reader, (struct part){.kind = PART_CAPTURE, .index = i - 1});
        return 0;
    }
    show(name, shown);
    r = fail(reader, offset, "no pattern of cmdline has a group \"%s\"; expected one as (?P<%s>…)",
             shown, name.n > 0 ? shown : "NAME");
    suggest(reader, MATCHES ".", shown, reader->captures, reader->n_captures);
    return r;
}

static int read_field(struct reader *reader, struct text_piece word)
{
    static const char prefix[] = MATCHES ".";
    const size_t n_prefix = strlen(prefix);
    char shown[LONGEST_SHOWN + 1];
    int r;

    if (word.n >= n_prefix && memcmp(word.bytes, prefix, n_prefix) == 0)
        return read_capture(reader, (struct text_piece){word.bytes + n_prefix, word.n - n_prefix});
    for (size_t i = 0; i < PROCESS_FIELDS_; i++) {
        if (!text_piece_is(word, field_names[i]))
            continue;
        add(reader, (struct part){.kind = PART_FIELD, .index = i});
        return 0;
    }
    show(word, shown);
    r = fail(reader, (size_t)(word.bytes - reader->text),
             "no field \"%s\"; expected " EXPECTED_FIELDS, shown);
    if (!text_piece_is(word, MATCHES))
        suggest(reader, "", shown, field_names, ARRAY_SIZE(field_names));
    return r;
}

/* What stands between the braces, without the spaces around it. */
static struct text_piece trimmed(const char *begin, const char *end)
{
    while (begin < end && strchr(SPACES, *begin))
        begin++;
    while (end > begin && strchr(SPACES, end[-1]))
        end--;
    return (struct text_piece){begin, (size_t)(end - begin)};
}

static int read_braces(struct reader *reader)
{
    const char *begin = reader->text + reader->position + strlen(OPENING);
    const char *end = strstr(begin, CLOSING);

    if (!end)
        return fail(reader, reader->position, "this \"{{\" is not closed; expected \"}}\"");
    reader->position = (size_t)(end - reader->text) + strlen(CLOSING);
    return read_field(reader, trimmed(begin, end));
}

static void read_text(struct reader *reader)
{
    size_t begin = reader->position;
    const char *end = strstr(reader->text + begin, OPENING);
    size_t n = end ? (size_t)(end - reader->text) - begin : strlen(reader->text + begin);

    add(reader, (struct part){.kind = PART_TEXT, .text = {reader->parsed->text + begin, n}});
    reader->position += n;
}

/* Each `{{` is a part, and so is what stands between two of them. */
static size_t most_parts(const char *text)
{
    size_t n = 1;

    for (; (text = strstr(text, OPENING)); text += strlen(OPENING))
        n += 2;
    return n;
}

static struct process_template *template_new(const char *text)
{
    struct process_template *parsed =
        calloc(1, sizeof(*parsed) + most_parts(text) * sizeof(parsed->parts[0]));

    if (!parsed)
        return NULL;
    parsed->text = strdup(text);
    return parsed->text ? parsed : process_template_free(parsed);
}

int process_template_parse(const char *text, const char *const *captures, size_t n_captures,
                           struct process_template **ret_template,
                           struct process_rule_error *ret_error)
{
    AUTO(process_template) struct process_template *parsed = template_new(text);
    struct reader reader = {.text = text,
                            .captures = captures,
                            .n_captures = n_captures,
                            .parsed = parsed,
                            .error = ret_error};
    int r = parsed ? 0 : -ENOMEM;

    while (r == 0 && text[reader.position]) {
        if (strncmp(text + reader.position, OPENING, strlen(OPENING)) == 0)
            r = read_braces(&reader);
        else
            read_text(&reader);
    }
    if (r < 0)
        return r;
    *ret_template = TAKE(parsed);
    return 0;
}

bool process_template_uses(const struct process_template *parsed, enum process_field field)
{
    for (size_t i = 0; i < parsed->n_parts; i++)
        if (parsed->parts[i].kind == PART_FIELD && parsed->parts[i].index == field)
            return true;
    return false;
}

void process_template_expand(const struct process_template *parsed, const struct text_piece *fields,
                             const struct text_piece *captures, struct text *name)
{
    for (size_t i = 0; i < parsed->n_parts; i++) {
        const struct part *part = &parsed->parts[i];
        struct text_piece piece = part->kind == PART_TEXT    ? part->text
                                  : part->kind == PART_FIELD ? fields[part->index]
                                                             : captures[part->index];

        text_append(name, piece.bytes, piece.n);
    }
}
