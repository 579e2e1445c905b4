/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Tells which names of strangers may be the value of a label as they are. */

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the bytes are UTF-8 (shortest forms, no surrogates, at most U+10FFFF) and contain no
 * control characters (C0, DEL, C1), bidirectional marks and overrides, separators of lines and
 * paragraphs, or noncharacters.
 */
bool text_is_clean(const char *bytes, size_t n);
