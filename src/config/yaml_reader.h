/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Reads one YAML document, event by event, and strictly. What makes YAML surprising is an error
 * that names the place: tags, anchors, aliases, a second document, another encoding than UTF-8, a
 * NUL byte.
 */

#include "config/yaml_message.h"
#include "config/yaml_place.h"
#include "reader/object_reader.h"

struct yaml_reader {
    struct yaml_event event; /* the present one */
    struct yaml_answer answer;
    struct text own;             /* has the answer where the text is one of our own */
    struct object_reader *walls; /* borrowed */
    const char *text;
    size_t length;
    struct config_error *error;
};

/*
 * Begins to read. The present event is then the first of the document's root, or YAML_AT_END if
 * there is none. `walls` has a process without rights take the text apart (config/config_reader.h),
 * and has no other job until yaml_reader_done(); NULL: it is done here, because the text is one of
 * our own and no file's. The text is borrowed until yaml_reader_done(), and so is ret_error: this
 * function and all that follow write there what is wrong. 0, -EINVAL or -ENOMEM; yaml_reader_done()
 * is to be called in any case.
 */
int yaml_reader_init(struct yaml_reader *reader, struct object_reader *walls, const char *text,
                     size_t length, struct config_error *ret_error);
void yaml_reader_done(struct yaml_reader *reader);

/* Goes to the next event. 0, -EINVAL. */
int yaml_reader_next(struct yaml_reader *reader);

/* Makes sure that nothing follows the root, whose last event is present. 0, -EINVAL. */
int yaml_reader_finish(struct yaml_reader *reader);

/* Where the present event begins. */
struct config_place yaml_reader_place(const struct yaml_reader *reader);
