/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One strict YAML document, event by event. What makes YAML surprising ends the
 * reading with an error that names the place: tags, anchors, aliases, a second
 * document, any encoding but UTF-8, NUL.
 */

#include <yaml.h>

#include "config/config.h"

#define YAML_READER_LARGEST UINT64_C(1048576) /* bytes */
#define YAML_READER_DEEPEST 32                /* levels of [ and { */

struct yaml_reader {
    yaml_parser_t parser;
    yaml_event_t
        event; /* the present one: never a stream, document or alias event but at the end */
    const char *text;
    size_t length;
    size_t consumed; /* bytes that libyaml has asked for */
    struct config_error *error;
};

/*
 * Begins to read; the text and `ret_error`, where this and all that follows says
 * what is wrong, are borrowed until yaml_reader_done(). The present event is the
 * first of the document's root, or YAML_STREAM_END_EVENT where there is none.
 * 0, -EINVAL with *ret_error filled, -ENOMEM; yaml_reader_done() in any case.
 */
int yaml_reader_init(struct yaml_reader *reader, const char *text, size_t length,
                     struct config_error *ret_error);
void yaml_reader_done(struct yaml_reader *reader);

/* Goes to the next event. 0, -EINVAL, -ENOMEM. */
int yaml_reader_next(struct yaml_reader *reader);

/* Behind the last event of the root: nothing may follow. 0, -EINVAL, -ENOMEM. */
int yaml_reader_finish(struct yaml_reader *reader);

/* Where the present event begins. */
struct config_place yaml_reader_place(const struct yaml_reader *reader);

/* Where the byte at this offset stands; columns count characters. */
struct config_place yaml_place_of(const char *text, size_t offset);

/* The offset of a place in the text; `length` where it has no such place. */
size_t yaml_offset_of(const char *text, size_t length, struct config_place place);

/*
 * Where a byte of a word stands in the text; the word's begin where it is not
 * written letter by letter (escapes in quotes, more lines than one).
 */
struct config_place yaml_place_inside(const char *text, size_t length,
                                      const struct config_word *word, size_t offset);
