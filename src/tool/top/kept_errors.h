/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Standard error, kept back while curses has the terminal: a line of the log in the midst of the
 * table would spoil it.
 */

struct kept_errors {
    int before; /* what standard error was; -1: nothing is kept back */
    int kept;   /* the end of a pipe from which it is read */
};

/* Keeps back what is written from now on, 64 KiB at the most; what is beyond that is lost. */
int kept_errors_begin(struct kept_errors *errors);

/* Ends it, and writes what was kept to what standard error was before. */
void kept_errors_end(struct kept_errors *errors);
