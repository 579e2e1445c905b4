/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Commands that tell something of each event of their command line, as a table or in JSON. */

#include "base/text.h"
#include "tool/event_words.h"
#include "tool/json.h"
#include "tool/table.h"

/* What is told, in one of two forms, and how the command ends. */
struct event_telling {
    struct table *table;
    json_t *events; /* NULL: the table is wanted */
    const struct machine *machine;
    struct text notes; /* lines below the table */
    int status;        /* of the command, if nothing fails */
};

/*
 * Runs the command: `show` adds what there is to tell of an event, to what it gets, which is the
 * telling (zeros, by the caller). 0 or -errno ends the walk, as event_words_each() says. Its result
 * is that of the command.
 */
int event_telling_run(struct event_telling *telling, const struct argp *argp, int argc, char **argv,
                      const struct table_column *columns, size_t n_columns,
                      int (*show)(void *telling, const struct event *event));
