/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Patterns over cgroup paths. `*` matches any bytes within one name (none too),
 * `**` any bytes across names, `?` one byte that is not `/`; a backslash takes
 * the next byte literally. All else is literal. A whole name of two stars may
 * also stand for no name at all, as shells have it: with `**` between slashes,
 * a/b is among the matches of a, `**`, b. The root "/" is matched by the pattern
 * "/" alone: it has no name that a wildcard could match.
 *
 * Matching takes time in proportion to path times pattern at worst, whatever
 * they hold.
 */

#include <stdbool.h>

/* The longest pattern, in bytes. */
#define GLOB_PATTERN_MAX 1024

/*
 * NULL if the pattern is good, else what is wrong with it (static text): it must
 * begin with `/`, must not end in `/` or hold `//` (no path does), and so on.
 * The functions below take any text, and match nothing by a pattern that is too
 * long.
 */
const char *glob_check(const char *pattern);

bool glob_match(const char *pattern, const char *path);

/* Whether some path below `directory` ("/" or "/a/b") could match. Never wrongly false. */
bool glob_may_match_below(const char *pattern, const char *directory);

/*
 * Whether each path below `directory` matches, as those below "/a" do by `/a/`
 * and two stars. Never wrongly true.
 */
bool glob_matches_all_below(const char *pattern, const char *directory);
