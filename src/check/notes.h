/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Notes and warnings on what is valid in a configuration, and yet is mostly a slip. */

#include "config/config.h"

/*
 * Begins a line on stdout, "PATH:3:14: note: "; the place is left out where its line is 0, since
 * the built-in default stands in no file. kind: "note" or "warning".
 */
void check_begin_note(const char *path, struct config_place place, const char *kind);

/* Warns where there are rules for processes, and procfs hides some processes from most users. */
void check_print_hidden(const char *path, const struct config *config, int procfs_fd);

/* Warns where a rule takes the root of all cgroups, which is the machine and no target. */
void check_print_root(const char *path, const struct config *config, int cgroup_root_fd);

/* Warns of others who may change the file. writers: a phrase, empty where there are none. */
void check_print_writers(const char *path, const char *writers);

/*
 * Notes what counts nothing: a configuration without targets, a group of the file that no target
 * names, a rule whose selectors are those of an earlier rule.
 */
void check_print_idle(const char *path, const struct config *config);

/*
 * Warns of names that are too long for any process, and of templates by which each process has
 * series of its own. 0 or -errno.
 */
int check_print_process_rules(const char *path, const struct config *config);
