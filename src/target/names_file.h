/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The user's own names: a CSV file (RFC 4180) whose lines are `match,name,group,role`. `match` is
 * `cgroup:PATTERN` (target/glob.h; a pattern that begins with `/` needs no `cgroup:`), or `pid:N`
 * (or N alone). A first line of these four words is a header. What is left out behind `name` is
 * empty; empty lines, and lines that begin with `#`, mean nothing. The first line that matches
 * wins. A line that is wrong is left out, and the others hold.
 */

#include <stddef.h>
#include <sys/types.h>

#include "base/text.h"
#include "target/names.h"

#define NAME_RULES_MOST 10000

struct name_rules;

/*
 * Parses a whole file. `ret_errors` gets a text of one line for each line that is wrong: "LINE:
 * what was found and what was expected", of the first ten. `ret_n_errors`: how many there are. 0 or
 * -ENOMEM.
 */
int name_rules_parse(const char *text, size_t n, struct name_rules **ret_rules,
                     struct text *ret_errors, size_t *ret_n_errors);
struct name_rules *name_rules_free(struct name_rules *rules);
DEFINE_AUTO(name_rules, struct name_rules *, name_rules_free)

/* Adds the names of the cgroup with this path, or of the process with this number. `rules` may be
 * NULL. */
void name_rules_add_cgroup(const struct name_rules *rules, const char *path, struct names *names);
void name_rules_add_pid(const struct name_rules *rules, pid_t pid, struct names *names);
