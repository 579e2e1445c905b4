/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Patterns for paths of cgroups. `*` matches any bytes within one name, or none. `**` matches any
 * bytes, slashes too. `?` matches one byte that is not `/`. A backslash makes the next byte
 * literal; all other bytes are literal. `**` as a whole name also stands for no name, as in shells:
 * "a", `**` and "b" with slashes between them match a/b. Only the pattern "/" matches the root "/",
 * which has no name for a wildcard to match.
 *
 * Users of the machine choose the paths, so matching takes time in proportion to the length of the
 * path times that of the pattern at worst, whatever they contain.
 */

#include <stdbool.h>

/* The longest pattern, in bytes. */
#define GLOB_PATTERN_MAX 1024

/*
 * Checks a pattern. Returns NULL if it is good, else a static text that says what is wrong: for
 * example it must begin with `/`, and must not end in `/` or contain `//`, since no path does.
 * The functions below take any text as a pattern; one that is too long matches nothing.
 */
const char *glob_check(const char *pattern);

/* Whether the pattern matches the whole path. */
bool glob_match(const char *pattern, const char *path);

/*
 * Whether the path has all that stands between the pattern's wildcards, in this order. It is never
 * wrongly false, and much cheaper than to match: for who has thousands of patterns.
 */
bool glob_may_match(const char *pattern, const char *path);

/* Whether some path below `directory` ("/" or "/a/b") could match. It is never wrongly false. */
bool glob_may_match_below(const char *pattern, const char *directory);

/*
 * Whether each path below `directory` matches; those below "/a" match `/a/` with two stars behind
 * it. It is never wrongly true.
 */
bool glob_matches_all_below(const char *pattern, const char *directory);
