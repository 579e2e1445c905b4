/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Notes and warnings on what is valid in a configuration, and yet is mostly a slip. */

#include "check/output.h"

/* Warns where there are rules for processes, and procfs hides some processes from most users. */
void check_print_hidden(struct check_output *output, const struct config *config, int procfs_fd);

/* Warns where a rule takes the root of all cgroups, which is the machine and no target. */
void check_print_root(struct check_output *output, const struct config *config, int cgroup_root_fd);

/* Warns of others who may change the file. writers: a phrase, empty where there are none. */
void check_print_writers(struct check_output *output, const char *writers);

/* Warns where the user's file of names cannot be read, or has lines that are left out. 0 or
 * -ENOMEM. */
int check_print_names(struct check_output *output, const struct config *config);

/*
 * Notes what counts nothing: a configuration without targets, a group of the file that no target
 * names, a rule whose selectors are those of an earlier rule.
 */
void check_print_idle(struct check_output *output, const struct config *config);

/*
 * Warns of names that are too long for any process, and of templates by which each process has
 * series of its own. 0 or -errno.
 */
int check_print_process_rules(struct check_output *output, const struct config *config);
