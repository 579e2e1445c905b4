/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The time of libyaml grows with the square of how deep brackets nest, and it looks up to 1,024
 * characters ahead for the end of a key, never further. So the scan ends where the text is deeper
 * than any schema goes.
 */
#include "config/yaml_scan.h"

#include <errno.h>
#include <string.h>
#include <yaml.h>

#include "config/config_error.h"
#include "config/yaml_message.h"
#include "config/yaml_place.h"

struct scanner {
    yaml_parser_t parser;
    yaml_event_t event; /* the present one */
    const char *text;
    size_t length;
    size_t consumed; /* bytes that libyaml has asked for */
    size_t depth;    /* mappings and lists that are open */
    size_t n;        /* events */
    struct config_error error;
};

/* Gives libyaml the text, in blocks of its choice (yaml_read_handler_t), and counts the bytes. */
static int feed_libyaml(void *data, unsigned char *buffer, size_t size, size_t *size_read)
{
    struct scanner *scanner = data;
    size_t left = scanner->length - scanner->consumed;

    *size_read = left < size ? left : size;
    memcpy(buffer, scanner->text + scanner->consumed, *size_read);
    scanner->consumed += *size_read;
    return 1;
}

static struct config_place place_of_mark(yaml_mark_t mark)
{
    return (struct config_place){(unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

/* Says what libyaml has found wrong. */
static int refuse_yaml(struct scanner *scanner)
{
    const yaml_parser_t *parser = &scanner->parser;
    struct config_place context = place_of_mark(parser->context_mark);

    if (parser->error == YAML_MEMORY_ERROR)
        return -ENOMEM;
    if (parser->error == YAML_READER_ERROR)
        return config_error_set(&scanner->error,
                                yaml_place_of(scanner->text, parser->problem_offset),
                                "%s; expected text in UTF-8", parser->problem);
    (void)config_error_set(&scanner->error, place_of_mark(parser->problem_mark), "not YAML: %s",
                           parser->problem ? parser->problem : "unknown error");
    if (parser->context)
        config_error_add(&scanner->error, " (%s that begins at %u:%u)", parser->context,
                         context.line, context.column);
    return -EINVAL;
}

static int parse_event(struct scanner *scanner)
{
    yaml_event_delete(&scanner->event);
    return yaml_parser_parse(&scanner->parser, &scanner->event) ? 0 : refuse_yaml(scanner);
}

/* Refuses the properties that YAML can hang on a value. */
static int check_properties(struct scanner *scanner, const yaml_char_t *anchor,
                            const yaml_char_t *tag)
{
    if (anchor)
        return config_error_set(
            &scanner->error, place_of_mark(scanner->event.start_mark),
            "the value has anchor %s; expected a value without anchors and aliases",
            SHOWN((const char *)anchor));
    if (tag)
        return config_error_set(&scanner->error, place_of_mark(scanner->event.start_mark),
                                "the value has tag %s; expected a value without a tag",
                                SHOWN((const char *)tag));
    return 0;
}

/* Goes to the next event. 0, -EINVAL or -ENOMEM. */
static int next(struct scanner *scanner)
{
    const yaml_event_t *event = &scanner->event;
    int r = parse_event(scanner);

    if (r < 0)
        return r;
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return config_error_set(&scanner->error, place_of_mark(scanner->event.start_mark),
                                "alias %s stands for a value; expected the value itself",
                                SHOWN((const char *)event->data.alias.anchor));
    case YAML_SCALAR_EVENT:
        return check_properties(scanner, event->data.scalar.anchor, event->data.scalar.tag);
    case YAML_SEQUENCE_START_EVENT:
        return check_properties(scanner, event->data.sequence_start.anchor,
                                event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return check_properties(scanner, event->data.mapping_start.anchor,
                                event->data.mapping_start.tag);
    default:
        return 0;
    }
}

static const enum yaml_kind kinds[] = {
    [YAML_STREAM_END_EVENT] = YAML_AT_END,
    [YAML_DOCUMENT_START_EVENT] = YAML_AT_DOCUMENT,
    [YAML_DOCUMENT_END_EVENT] = YAML_AT_DOCUMENT_END,
    [YAML_SCALAR_EVENT] = YAML_AT_VALUE,
    [YAML_SEQUENCE_START_EVENT] = YAML_AT_LIST,
    [YAML_SEQUENCE_END_EVENT] = YAML_AT_LIST_END,
    [YAML_MAPPING_START_EVENT] = YAML_AT_MAPPING,
    [YAML_MAPPING_END_EVENT] = YAML_AT_MAPPING_END,
};

static void append(struct text *answer, enum yaml_kind kind, struct config_place place,
                   bool is_plain, const char *text, size_t length)
{
    const struct yaml_record record = {.kind = (uint16_t)kind,
                                       .is_plain = is_plain,
                                       .line = place.line,
                                       .column = place.column,
                                       .length = (uint32_t)length};

    text_append(answer, (const char *)&record, sizeof(record));
    text_append(answer, text, length);
    text_append_char(answer, '\0');
}

/* Follows how deep the text is by now, and how much it has. 0 or -EINVAL. */
static int check_bounds(struct scanner *scanner)
{
    const yaml_event_type_t type = scanner->event.type;
    const struct config_place place = place_of_mark(scanner->event.start_mark);

    if (type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT)
        scanner->depth++;
    else if (type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT)
        scanner->depth--;
    if (scanner->depth > YAML_READER_DEEPEST)
        return config_error_set(&scanner->error, place,
                                "values nest too deep; expected at most %d levels",
                                YAML_READER_DEEPEST);
    if (++scanner->n > YAML_MOST_EVENTS)
        return config_error_set(&scanner->error, place,
                                "there are too many values; expected at most %d", YAML_MOST_EVENTS);
    return 0;
}

static void append_event(const struct scanner *scanner, struct text *answer)
{
    const yaml_event_t *event = &scanner->event;
    const struct config_place place = place_of_mark(event->start_mark);

    if (event->type == YAML_SCALAR_EVENT)
        append(answer, YAML_AT_VALUE, place, event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE,
               (const char *)event->data.scalar.value, event->data.scalar.length);
    else if (event->type != YAML_STREAM_START_EVENT)
        append(answer, kinds[event->type], place, false, "", 0);
}

static int scan_all(struct scanner *scanner, struct text *answer)
{
    int r;

    do {
        r = next(scanner);
        if (r == 0)
            r = check_bounds(scanner);
        if (r == 0)
            append_event(scanner, answer);
    } while (r == 0 && scanner->event.type != YAML_STREAM_END_EVENT);
    if (r == -EINVAL)
        append(answer, YAML_AT_ERROR, scanner->error.place, false, scanner->error.message,
               strlen(scanner->error.message));
    return r == -ENOMEM ? r : text_error(answer);
}

int yaml_scan(const char *text, size_t length, struct text *answer)
{
    struct scanner scanner = {.text = text, .length = length};
    int r;

    if (!yaml_parser_initialize(&scanner.parser))
        return -ENOMEM;
    yaml_parser_set_encoding(&scanner.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input(&scanner.parser, feed_libyaml, &scanner);
    r = scan_all(&scanner, answer);
    yaml_event_delete(&scanner.event);
    yaml_parser_delete(&scanner.parser);
    return r;
}
