/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How a value is read that is one of some words, or several of them. */

#include "config/schema.h"

/* Read the present event into the structure. 0 or -EINVAL, with the error set. */
int schema_read_choice(struct yaml_reader *reader, const struct schema_key *key, void *object);
int schema_read_set(struct yaml_reader *reader, const struct schema_key *key, void *object);
