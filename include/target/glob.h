/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Patterns over cgroup paths. `*` matches any bytes within one name (none too),
 * `**` any bytes across names, `?` one byte that is not `/`; a backslash takes
 * the next byte literally. All else is literal.
 */

#include <stdbool.h>

/* NULL if the pattern is good, else what is wrong with it (static): it must begin with `/`, … */
const char *glob_check(const char *pattern);

bool glob_match(const char *pattern, const char *path);

/* Whether some path below `directory` ("/" or "/a/b") could match. Never wrongly false. */
bool glob_may_match_below(const char *pattern, const char *directory);
