/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* glob_match(), which also counts its steps: tests hold it to what it may cost. */

#include <stdbool.h>
#include <stdint.h>

bool glob_match_counted(const char *pattern, const char *path, uint64_t *ret_steps);
