/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Reads one YAML document, event by event, and strictly. What makes YAML surprising is an error
 * that names the place: tags, anchors, aliases, a second document, another encoding than UTF-8, a
 * NUL byte.
 */

#include <yaml.h>

#include "config/config.h"

#define YAML_READER_LARGEST UINT64_C(1048576) /* bytes */
#define YAML_READER_DEEPEST 32                /* levels of [ and { */

struct yaml_reader {
    yaml_parser_t parser;
    /* The present event. Events of streams, documents and aliases are seen at the end only. */
    yaml_event_t event;
    const char *text;
    size_t length;
    size_t consumed; /* bytes that libyaml has asked for */
    struct config_error *error;
};

/*
 * Begins to read. The present event is then the first of the document's root, or
 * YAML_STREAM_END_EVENT if there is none. The text is borrowed until yaml_reader_done(), and so is
 * ret_error: this function and all that follow write there what is wrong. 0, -EINVAL or -ENOMEM;
 * yaml_reader_done() is to be called in any case.
 */
int yaml_reader_init(struct yaml_reader *reader, const char *text, size_t length,
                     struct config_error *ret_error);
void yaml_reader_done(struct yaml_reader *reader);

/* Goes to the next event. 0, -EINVAL, -ENOMEM. */
int yaml_reader_next(struct yaml_reader *reader);

/* Makes sure that nothing follows the root, whose last event is present. 0, -EINVAL, -ENOMEM. */
int yaml_reader_finish(struct yaml_reader *reader);

/* Where the present event begins. */
struct config_place yaml_reader_place(const struct yaml_reader *reader);

/* The place of the byte at this offset; columns count characters. */
struct config_place yaml_place_of(const char *text, size_t offset);

/*
 * The place in the text of a byte of a word. It is the word's begin where the text does not write
 * the word letter by letter, as with escapes in quotes, or over several lines.
 */
struct config_place yaml_place_inside(const char *text, size_t length,
                                      const struct config_word *word, size_t offset);
