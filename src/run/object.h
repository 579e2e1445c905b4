/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* JSON objects that strangers send, read strictly: what is not known is refused by its name. */

#include <jansson.h>
#include <stdint.h>

#include "base/text.h"

/*
 * The most lists, objects and keys of an object: a run has some 1,100. A million of them in a few
 * megabytes would take long to parse, while others wait.
 */
#define OBJECT_PARTS_MAX 4096

/* Parses an object. NULL: it is none, and the message says where it is wrong; or no memory. */
json_t *object_parse(const char *body, size_t length, struct text *message);

/* Refuses a key that is none of these. 0 or -EINVAL with a message. */
int object_check_keys(const json_t *object, const char *const *keys, size_t n_keys,
                      struct text *message);

/*
 * Takes a text of at most `most` bytes and without control characters (but those of lines, with
 * has_lines). 0; -ENOENT: there is none of this name; -EINVAL with a message; -ENOMEM.
 */
int object_take_text(const json_t *object, const char *key, size_t most, bool has_lines,
                     char **ret_text, struct text *message);

/* Takes a time in seconds within bounds. It stays as it is where it is not given. 0 or -EINVAL. */
int object_take_seconds(const json_t *object, const char *key, uint64_t least_ns, uint64_t most_ns,
                        uint64_t *time_ns, struct text *message);

/* Writes what is wrong into the message. Returns -EINVAL. */
int object_refuse(struct text *message, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline void cleanup_json(json_t **json)
{
    json_decref(*json);
}
#define AUTO_JSON __attribute__((cleanup(cleanup_json)))
