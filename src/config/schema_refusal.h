/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How a value that its schema does not take is refused. */

#include <stdbool.h>
#include <stddef.h>

#include "config/schema.h"

/* Whether a single value is one that YAML takes for no value: an empty one, `~` or `null`. */
bool schema_is_null(const struct yaml_event *event);

/* What an event is called in an error: "a list". Static. */
const char *schema_event_name(const struct yaml_event *event);

/* What stands before the name with this index in a list of n names, as in "x, y or z". */
const char *schema_separator(size_t i, size_t n, const char *last);

/* Adds to the error what the table expects of a key. Returns -EINVAL, for `return`. */
int schema_add_expected(struct yaml_reader *reader, const struct schema_key *key);

/* Refuses the present event, which is not of the type of the key. Returns -EINVAL. */
int schema_refuse_type(struct yaml_reader *reader, const struct schema_key *key);

/* Refuses the value of the present event. Returns -EINVAL. */
int schema_refuse_value(struct yaml_reader *reader, const struct schema_key *key,
                        const char *value);

/*
 * The text of the present event, borrowed. It is not empty and holds no control character. NULL:
 * it is refused, and the error is set.
 */
const char *schema_take_text(struct yaml_reader *reader, const struct schema_key *key);
