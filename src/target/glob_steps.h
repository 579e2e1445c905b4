/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* glob_match() that also counts its steps, for the tests of what it costs. */

#include <stdbool.h>
#include <stdint.h>

bool glob_match_counted(const char *pattern, const char *path, uint64_t *ret_steps);
