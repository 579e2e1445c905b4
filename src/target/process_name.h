/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Makes the names of groups of processes from their templates, and labels from these names. */

#include "sys/process.h"
#include "sys/user_names.h"
#include "target/process_template.h"

/* Stands before a name that is encoded (target/label_value.h). */
#define PROCESS_NAME_MARK "%/"

/*
 * Appends the label of the group that the process belongs to by the template. Reads only what the
 * template uses. `users` knows the names of users; NULL means that the user's number is taken.
 * Returns 0; NAME_LATE if the number was taken because the name was not known in time; -ESRCH or
 * -ENOMEM.
 */
int process_name_append(const struct process_template *parsed, const struct text_piece *captures,
                        struct process *process, struct user_names *users, struct text *ret_label);

/* Appends the label of a name of any bytes. */
void process_name_append_label(struct text *text, const char *name, size_t n);

/* The last name of a path, as basename(1) gives it. */
struct text_piece process_name_base(const char *path);
