/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* From bytes of a text to what people are told: its line and column. */

#include "config/config.h"

/* The place of the byte at this offset; columns count characters. */
struct config_place yaml_place_of(const char *text, size_t offset);

/*
 * The place in the text of a byte of a word. It is the word's begin where the text does not write
 * the word letter by letter, as with escapes in quotes, or over several lines.
 */
struct config_place yaml_place_inside(const char *text, size_t length,
                                      const struct config_word *word, size_t offset);
