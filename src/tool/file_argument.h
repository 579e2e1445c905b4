/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The command line of commands that look at a configuration. */

#include "config/config.h"
#include "tool/command.h"

/* The input of the argp of such a command; all zero before. */
struct file_argument {
    const char *path;
    bool json;
};

/* The parser takes one word, the file; the child is the option --json. */
error_t file_argument_parse(int key, char *argument, struct argp_state *state);
extern const struct argp_child file_argument_children[];

/* Prints as JSON what is wrong with a configuration, for struct check_request. */
void file_argument_fail(void *object, const char *path, int r, const struct config_error *error);
