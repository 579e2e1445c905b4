/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Of a build with sanitizers it is reading_walls_sanitized.c, or else reading_walls.c. */

#include <stdbool.h>

/* Whether threads without rights are also refused to read files. */
extern const bool reading_is_walled;
