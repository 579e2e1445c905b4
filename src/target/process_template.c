/* SPDX-License-Identifier: Apache-2.0 */
#include "target/process_template.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/suggest.h"

#define OPENING       "{{"
#define CLOSING       "}}"
#define MATCHES       ".Matches"
#define SPACES        " \t"
#define LONGEST_SHOWN 32 /* bytes of the user's text that a message repeats */
#define EXPECTED_FIELDS                                                                            \
    ".Comm, .ExeBase, .ExeFull, .Username, .PID, .StartTime, .Matches.NAME or a name as .Pod"

static const char *const field_names[] = {
    [PROCESS_COMM] = ".Comm",
    [PROCESS_EXE_BASE] = ".ExeBase",
    [PROCESS_EXE_FULL] = ".ExeFull",
    [PROCESS_USERNAME] = ".Username",
    [PROCESS_PID] = ".PID",
    [PROCESS_START_TIME] = ".StartTime",
    [PROCESS_NAMES + NAME_POD] = ".Pod",
    [PROCESS_NAMES + NAME_NAMESPACE] = ".Namespace",
    [PROCESS_NAMES + NAME_CONTAINER] = ".Container",
    [PROCESS_NAMES + NAME_IMAGE] = ".Image",
    [PROCESS_NAMES + NAME_RUNTIME] = ".Runtime",
    [PROCESS_NAMES + NAME_VM] = ".VM",
    [PROCESS_NAMES + NAME_VM_UUID] = ".VMUUID",
    [PROCESS_NAMES + NAME_VM_DISPLAY_NAME] = ".VMDisplayName",
    [PROCESS_NAMES + NAME_VM_FLAVOR] = ".VMFlavor",
    [PROCESS_NAMES + NAME_VM_PROJECT] = ".VMProject",
    [PROCESS_NAMES + NAME_VM_USER] = ".VMUser",
    [PROCESS_NAMES + NAME_SLURM_JOB] = ".SlurmJob",
    [PROCESS_NAMES + NAME_SLURM_STEP] = ".SlurmStep",
    [PROCESS_NAMES + NAME_SLURM_USER] = ".SlurmUser",
    [PROCESS_NAMES + NAME_NAME] = ".Name",
    [PROCESS_NAMES + NAME_GROUP] = ".Group",
    [PROCESS_NAMES + NAME_ROLE] = ".Role",
    [PROCESS_FIELDS_] = MATCHES,
};

enum part_kind { PART_TEXT, PART_FIELD, PART_CAPTURE };

struct part {
    enum part_kind kind;
    size_t index;           /* which field or capture it is */
    struct text_piece text; /* bytes of the template's copy */
};

struct process_template {
    char *text; /* a copy of the user's text, which parts point into */
    size_t n_parts;
    struct part parts[];
};

/* A template that is being parsed. */
struct parser {
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

__attribute__((format(printf, 3, 4))) static int fail(const struct parser *parser, size_t offset,
                                                      const char *format, ...)
{
    va_list arguments;

    parser->error->offset = offset;
    va_start(arguments, format);
    (void)vsnprintf(parser->error->message, sizeof(parser->error->message), format, arguments);
    va_end(arguments);
    return -EINVAL;
}

/* Appends a suggestion to the message of fail(), if a known word is near enough. */
static void suggest(const struct parser *parser, const char *before, const char *word,
                    const char *const *words, size_t n_words)
{
    const char *nearest = suggest_nearest(word, words, n_words);
    char *message = parser->error->message;
    size_t used = strlen(message);

    if (nearest)
        (void)snprintf(message + used, sizeof(parser->error->message) - used,
                       "; did you mean %s%s?", before, nearest);
}

/* Copies a word for a message, cut between characters if it is too long. */
static void show(struct text_piece word, char ret_shown[static LONGEST_SHOWN + 1])
{
    size_t n = word.n < LONGEST_SHOWN ? word.n : LONGEST_SHOWN;

    while (n < word.n && n > 0 && ((unsigned char)word.bytes[n] & 0xc0) == 0x80)
        n--;
    memcpy(ret_shown, word.bytes, n);
    ret_shown[n] = '\0';
}

static void add(struct parser *parser, struct part part)
{
    parser->parsed->parts[parser->parsed->n_parts++] = part;
}

static int parse_capture(struct parser *parser, struct text_piece name)
{
    size_t offset = (size_t)(name.bytes - parser->text);
    char shown[LONGEST_SHOWN + 1];
    int r;

    for (size_t i = parser->n_captures; i > 0; i--) {
        if (!text_piece_is(name, parser->captures[i - 1]))
            continue;
        add(parser, (struct part){.kind = PART_CAPTURE, .index = i - 1});
        return 0;
    }
    show(name, shown);
    r = fail(parser, offset,
             "no pattern of cmdline has a group \"%s\"; expected one such as (?P<%s>…)", shown,
             name.n > 0 ? shown : "NAME");
    suggest(parser, MATCHES ".", shown, parser->captures, parser->n_captures);
    return r;
}

static int parse_field(struct parser *parser, struct text_piece word)
{
    static const char prefix[] = MATCHES ".";
    const size_t n_prefix = strlen(prefix);
    char shown[LONGEST_SHOWN + 1];
    int r;

    if (word.n >= n_prefix && memcmp(word.bytes, prefix, n_prefix) == 0)
        return parse_capture(parser, (struct text_piece){word.bytes + n_prefix, word.n - n_prefix});
    for (size_t i = 0; i < PROCESS_FIELDS_; i++) {
        if (!text_piece_is(word, field_names[i]))
            continue;
        add(parser, (struct part){.kind = PART_FIELD, .index = i});
        return 0;
    }
    show(word, shown);
    r = fail(parser, (size_t)(word.bytes - parser->text),
             "no field \"%s\"; expected " EXPECTED_FIELDS, shown);
    if (!text_piece_is(word, MATCHES))
        suggest(parser, "", shown, field_names, ARRAY_SIZE(field_names));
    return r;
}

/* Takes away the spaces around what stands between the braces. */
static struct text_piece trimmed(const char *begin, const char *end)
{
    while (begin < end && strchr(SPACES, *begin))
        begin++;
    while (end > begin && strchr(SPACES, end[-1]))
        end--;
    return (struct text_piece){begin, (size_t)(end - begin)};
}

static int parse_braces(struct parser *parser)
{
    const char *begin = parser->text + parser->position + strlen(OPENING);
    const char *end = strstr(begin, CLOSING);

    if (!end)
        return fail(parser, parser->position, "this \"{{\" is not closed; expected \"}}\"");
    parser->position = (size_t)(end - parser->text) + strlen(CLOSING);
    return parse_field(parser, trimmed(begin, end));
}

static void parse_text(struct parser *parser)
{
    size_t begin = parser->position;
    const char *end = strstr(parser->text + begin, OPENING);
    size_t n = end ? (size_t)(end - parser->text) - begin : strlen(parser->text + begin);

    add(parser, (struct part){.kind = PART_TEXT, .text = {parser->parsed->text + begin, n}});
    parser->position += n;
}

/* Each `{{` is at most one part, and so is the text between two of them. */
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
    struct parser parser = {.text = text,
                            .captures = captures,
                            .n_captures = n_captures,
                            .parsed = parsed,
                            .error = ret_error};
    int r = parsed ? 0 : -ENOMEM;

    while (r == 0 && text[parser.position]) {
        if (strncmp(text + parser.position, OPENING, strlen(OPENING)) == 0)
            r = parse_braces(&parser);
        else
            parse_text(&parser);
    }
    if (r < 0)
        return r;
    *ret_template = TAKE(parsed);
    return 0;
}

bool process_template_is(const struct process_template *parsed,
                         const struct process_template *other)
{
    return strcmp(parsed->text, other->text) == 0;
}

bool process_template_uses(const struct process_template *parsed, enum process_field field)
{
    for (size_t i = 0; i < parsed->n_parts; i++)
        if (parsed->parts[i].kind == PART_FIELD && parsed->parts[i].index == field)
            return true;
    return false;
}

bool process_template_uses_names(const struct process_template *parsed)
{
    for (size_t i = 0; i < parsed->n_parts; i++)
        if (parsed->parts[i].kind == PART_FIELD && parsed->parts[i].index >= PROCESS_NAMES)
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
