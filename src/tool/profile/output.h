/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where a profile is written: to a file, or to standard output. */

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes bytes to a file, or to standard output where `file` is NULL. A terminal is given text that
 * cannot steer it, and nothing that is binary. Returns the exit status, with the reason on stderr.
 */
int profile_output(const char *file, const char *bytes, size_t n);

/*
 * Finds out whether the file can be written, before there is anything to be written; NULL: standard
 * output. What is there stays as it is, and nothing new is left behind. Returns the exit status,
 * with the reason on stderr.
 */
int profile_output_try(const char *file);

/* Whether standard output is where it goes to, and a terminal. */
bool profile_output_is_terminal(const char *file);
