/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Makes the names of groups of processes from their templates, and labels from these names. */

#include "sys/process.h"
#include "sys/user_names.h"
#include "target/process_rules.h"
#include "target/process_template.h"
#include "target/target_names.h"

/* Stands before a name that is encoded (target/label_value.h). */
#define PROCESS_NAME_MARK "%/"

/* Who knows what is not in /proc. */
struct process_namers {
    struct user_names *users;   /* NULL: users are called by their numbers */
    struct target_names *names; /* NULL: names are empty */
};

/*
 * Appends the label of the group that the process belongs to by the template. Reads only what the
 * template uses. Returns 0; an enum process_name_late if some name was not known in time, and
 * therefore the user is called by the number and names are empty; -ESRCH or -ENOMEM.
 */
int process_name_append(const struct process_template *parsed, const struct text_piece *captures,
                        struct process *process, const struct process_namers *namers,
                        struct text *ret_label);

/* Appends the label of a name of any bytes. */
void process_name_append_label(struct text *text, const char *name, size_t n);

/* The last name of a path, as basename(1) gives it. */
struct text_piece process_name_base(const char *path);
