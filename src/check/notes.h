/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is valid in a configuration and yet mostly a slip: what counts nothing. */

#include "config/config.h"

/*
 * Begins a line on stdout, "PATH:3:14: note: "; without the place where line is 0, as
 * what the built-in default says stands nowhere.
 */
void config_begin_note(const char *path, struct config_place place, const char *kind);

/* A line on stdout where there are rules for processes, and procfs hides some from most. */
void config_print_hidden(const char *path, const struct config *config);

/* A line on stdout where a rule takes the root of all cgroups, and that is the machine. */
void config_print_root(const char *path, const struct config *config, int cgroup_root_fd);

/*
 * A line on stdout for each of: a configuration without targets, a group of the file
 * that no target names, a rule whose selectors are those of an earlier one.
 */
void config_print_idle(const char *path, const struct config *config);
