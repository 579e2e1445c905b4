/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What may stand in a label as it is (DESIGN: names on /metrics). */

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the bytes are UTF-8 (shortest forms, no surrogates, at most U+10FFFF)
 * without control characters (C0, DEL, C1), bidirectional marks and overrides,
 * line and paragraph separators, and noncharacters.
 */
bool text_is_clean(const char *bytes, size_t n);
