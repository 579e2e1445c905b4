/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Cells of the tables of a run of kind `schedule`, from the objects that the API has told. */

#include <jansson.h>

#include "base/text.h"
#include "tool/table.h"

/* A number of an object; NaN: it has none. */
double cell_number(const json_t *object, const char *key);

/* Adds a count of an object, or a duration. */
void cell_add_count(struct table *table, const json_t *object, const char *key);
void cell_add_duration(struct table *table, double seconds);

/* The name of a thread with its number, as perf sched has it: "nginx:1234"; "-": there is none. */
void cell_append_name(struct text *text, const json_t *thread);
void cell_add_name(struct table *table, const json_t *thread);

/* Tells that lines are left out. */
void cell_add_rest(struct table *table, double n, size_t lines);
