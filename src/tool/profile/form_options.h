/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The options that say in which form a profile is shown, and where: --format, -n and -o. */

#include <argp.h>
#include <stdbool.h>

#include "tool/profile/options.h"

/* Takes them, and --json and --socket. Its input is a struct profile_form. */
extern const struct argp profile_form_argp;

struct profile_form {
    struct profile_options *options; /* borrowed; what was read goes there */
    bool has_format, has_output;     /* whether -o stood there, also as "-" */
};

/*
 * Takes the format from the name of the file where none was asked for, and refuses what does not go
 * together, when all options have been read. of_file: the format of a file whose name tells none.
 */
void profile_form_check(const struct profile_form *form, enum profile_format of_file);
