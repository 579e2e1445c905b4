/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What is found out about a configuration while it is looked at. It is printed as text at once, or
 * kept for whoever writes it in another form.
 */

#include <stdbool.h>
#include <stddef.h>

#include "check/match_list.h"
#include "config/config.h"

/* What is valid in a configuration, and yet is mostly a slip, or worth to be known. */
struct check_problem {
    const char *severity;      /* "note" or "warning" */
    struct config_place place; /* its line is 0 where it is of no place in the file */
    char *message;             /* one line without a line feed */
};

/* What one rule takes now. */
struct check_match {
    const char *what; /* "cgroups" or "processes" */
    size_t rule;      /* its index */
    struct match_list list;
};

struct check_output {
    const char *path; /* the file, as it is shown */
    bool prints;      /* The text is wanted, on stdout. */
    bool failed;      /* There was no memory to keep something. */
    struct check_problem *problems;
    size_t n_problems, problems_capacity;
    struct check_match *matches;
    size_t n_matches, matches_capacity;
};

/*
 * Tells of a problem: prints "PATH:3:14: note: MESSAGE" as a line (the place is left out where its
 * line is 0, since the built-in default stands in no file), or keeps it.
 */
void check_note(struct check_output *output, struct config_place place, const char *severity,
                const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Tells what one rule takes now. */
void check_match(struct check_output *output, const char *what, size_t rule,
                 const struct match_list *list);

/* Prints where text is wanted. What it says is kept by others, or can be computed again. */
void check_say(const struct check_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void check_output_done(struct check_output *output);
