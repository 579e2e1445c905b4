/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Has a worker read what a program of the host keeps of a container or machine. */

#include "reader/object_reader.h"
#include "target/state_message.h"
#include "target/target_names.h"

/* The last file that was refused for what it did to its worker. */
struct state_refusal {
    const char *why;            /* NULL: there was none that has not been told */
    char file[NAMES_FILE_SIZE]; /* its path below the root of the host */
    bool has_ended;             /* there is no reader any more, which is told once */
};

/*
 * Adds the names that a text tells. `reader` may be NULL, and then nothing is told. `file`: which
 * one it is, for the refusal. False: the text has another form, or it was refused.
 */
bool state_file_names(struct object_reader *reader, const struct state_question *question,
                      const char *text, size_t n, const char *file, struct state_refusal *refusal,
                      struct names *names);
