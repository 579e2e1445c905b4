/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Names of groups of processes, by their template, and as labels. */

#include "sys/process.h"
#include "sys/user_names.h"
#include "target/process_template.h"

/* Before a name that cannot stand as it is (target/label_value.h). */
#define PROCESS_NAME_MARK "%/"

/*
 * Appends the label of the group that the process belongs to by the template. Reads
 * of the process, and asks for the user's name, only where the template uses that. users: NULL:
 * a user is told by its number. 0; NAME_LATE: the number had to do; -ESRCH or -ENOMEM.
 */
int process_name_append(const struct process_template *parsed, const struct text_piece *captures,
                        struct process *process, struct user_names *users, struct text *ret_label);

/* Appends the label of a name of any bytes. */
void process_name_append_label(struct text *text, const char *name, size_t n);

/* The last name of a path, as basename(1) gives it. */
struct text_piece process_name_base(const char *path);
