/* SPDX-License-Identifier: Apache-2.0 */

/*
 * libyaml does the scanning. Texts that it handles badly never reach it.
 *
 * Its time grows with the square of how deep brackets nest, and it looks up to 1,024 characters
 * ahead for the end of a key, never further. The caller follows a schema a few levels deep and
 * stops at the first event that does not belong, so that of a text full of brackets (a bomb) no
 * more than those 1,024 characters are ever scanned. Counting the brackets before is a second wall,
 * and makes an error that says what is wrong. The count knows comments but not quotes, because a
 * plain word may hold a quote: so more than 32 brackets that stay open in a quoted text are refused
 * too.
 *
 * A NUL byte silently ends the input for libyaml, and it would convert UTF-16. Both are refused
 * before. Other text that is not UTF-8 libyaml refuses itself, with an offset in bytes.
 */
#include "config/yaml_reader.h"

#include <errno.h>
#include <string.h>

#include "config/config_error.h"

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

static int refuse_offset(struct yaml_reader *reader, size_t offset, const char *what)
{
    return config_error_set(reader->error, yaml_place_of(reader->text, offset), "%s", what);
}

/* The offset of the bracket that opens one level too many; the length: there is none. */
static size_t find_too_deep(const char *text, size_t length)
{
    size_t depth = 0;
    bool comment = false;

    for (size_t i = 0; i < length; i++) {
        char c = text[i];

        if (c == '\n' || c == '\r')
            comment = false;
        else if (c == '#' && (i == 0 || strchr(" \t\r\n", text[i - 1])))
            comment = true;
        if (comment)
            continue;
        if ((c == '[' || c == '{') && ++depth > YAML_READER_DEEPEST)
            return i;
        if ((c == ']' || c == '}') && depth > 0)
            depth--;
    }
    return length;
}

static int check_bytes(struct yaml_reader *reader)
{
    const char *text = reader->text;
    size_t length = reader->length, too_deep;
    const char *nul = memchr(text, '\0', length);

    if (length > YAML_READER_LARGEST)
        return refuse_offset(reader, YAML_READER_LARGEST,
                             "the configuration does not end here; expected at most 1 MiB");
    if (length >= 2 && (memcmp(text, "\xfe\xff", 2) == 0 || memcmp(text, "\xff\xfe", 2) == 0))
        return refuse_offset(reader, 0, "the text is UTF-16; expected UTF-8");
    if (nul)
        return refuse_offset(
            reader, (size_t)(nul - text),
            "there is a NUL byte; expected text in UTF-8 (this may be UTF-16 or UTF-32)");
    too_deep = find_too_deep(text, length);
    if (too_deep < length)
        return refuse_offset(reader, too_deep,
                             "brackets nest too deep; expected at most 32 levels");
    return 0;
}

/* Gives libyaml the text, in blocks of its choice (yaml_read_handler_t), and counts the bytes. */
static int feed_libyaml(void *data, unsigned char *buffer, size_t size, size_t *size_read)
{
    struct yaml_reader *reader = data;
    size_t left = reader->length - reader->consumed;

    *size_read = left < size ? left : size;
    memcpy(buffer, reader->text + reader->consumed, *size_read);
    reader->consumed += *size_read;
    return 1;
}

static struct config_place place_of_mark(yaml_mark_t mark)
{
    return (struct config_place){(unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

struct config_place yaml_reader_place(const struct yaml_reader *reader)
{
    return place_of_mark(reader->event.start_mark);
}

/* Says what libyaml has found wrong. */
static int refuse_yaml(struct yaml_reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    struct config_place context = place_of_mark(parser->context_mark);

    if (parser->error == YAML_MEMORY_ERROR)
        return -ENOMEM;
    if (parser->error == YAML_READER_ERROR)
        return config_error_set(reader->error, yaml_place_of(reader->text, parser->problem_offset),
                                "%s; expected text in UTF-8", parser->problem);
    (void)config_error_set(reader->error, place_of_mark(parser->problem_mark), "not YAML: %s",
                           parser->problem ? parser->problem : "unknown error");
    if (parser->context)
        config_error_add(reader->error, " (%s that begins at %u:%u)", parser->context, context.line,
                         context.column);
    return -EINVAL;
}

static int parse_event(struct yaml_reader *reader)
{
    yaml_event_delete(&reader->event);
    return yaml_parser_parse(&reader->parser, &reader->event) ? 0 : refuse_yaml(reader);
}

/* Refuses the properties that YAML can hang on a value. */
static int check_properties(struct yaml_reader *reader, const yaml_char_t *anchor,
                            const yaml_char_t *tag)
{
    if (anchor)
        return config_error_set(
            reader->error, yaml_reader_place(reader),
            "the value has anchor %s; expected a value without anchors and aliases",
            SHOWN((const char *)anchor));
    if (tag)
        return config_error_set(reader->error, yaml_reader_place(reader),
                                "the value has tag %s; expected a value without a tag",
                                SHOWN((const char *)tag));
    return 0;
}

int yaml_reader_next(struct yaml_reader *reader)
{
    const yaml_event_t *event = &reader->event;
    int r = parse_event(reader);

    if (r < 0)
        return r;
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return config_error_set(reader->error, yaml_reader_place(reader),
                                "alias %s stands for a value; expected the value itself",
                                SHOWN((const char *)event->data.alias.anchor));
    case YAML_SCALAR_EVENT:
        return check_properties(reader, event->data.scalar.anchor, event->data.scalar.tag);
    case YAML_SEQUENCE_START_EVENT:
        return check_properties(reader, event->data.sequence_start.anchor,
                                event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return check_properties(reader, event->data.mapping_start.anchor,
                                event->data.mapping_start.tag);
    default:
        return 0;
    }
}

int yaml_reader_init(struct yaml_reader *reader, const char *text, size_t length,
                     struct config_error *ret_error)
{
    int r;

    *reader = (struct yaml_reader){.text = text, .length = length, .error = ret_error};
    r = check_bytes(reader);
    if (r < 0)
        return r;
    if (!yaml_parser_initialize(&reader->parser))
        return -ENOMEM;
    yaml_parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input(&reader->parser, feed_libyaml, reader);
    do
        r = yaml_reader_next(reader);
    while (r == 0 && (reader->event.type == YAML_STREAM_START_EVENT ||
                      reader->event.type == YAML_DOCUMENT_START_EVENT));
    return r;
}

int yaml_reader_finish(struct yaml_reader *reader)
{
    int r;

    do
        r = yaml_reader_next(reader);
    while (r == 0 && reader->event.type == YAML_DOCUMENT_END_EVENT);
    if (r == 0 && reader->event.type != YAML_STREAM_END_EVENT)
        return config_error_set(reader->error, yaml_reader_place(reader),
                                "a second YAML document begins here; expected one");
    return r;
}

void yaml_reader_done(struct yaml_reader *reader)
{
    yaml_event_delete(&reader->event);
    yaml_parser_delete(&reader->parser);
}
