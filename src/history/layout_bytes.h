/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How a layout is stored: strings, each with the zero byte at its end. Numbers are such strings. */

#include <stddef.h>

#include "base/text.h"

void layout_append_string(struct text *bytes, const char *string);
void layout_append_count(struct text *bytes, size_t count);
