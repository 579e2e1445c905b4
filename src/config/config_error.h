/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How those who read a configuration say what is wrong with it. */

#include "config/config.h"

/* Sets the place and the message; what does not fit is cut. Returns -EINVAL, for `return`. */
int config_error_set(struct config_error *error, struct config_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends to the message. */
void config_error_add(struct config_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends the nearest valid word as a question, if one is near enough to be meant. */
void config_error_suggest(struct config_error *error, const char *word, const char *const *words,
                          size_t n_words);

/*
 * Shows a word of the user in double quotes. A long one is shortened, and control characters, those
 * that turn text around, and what is no UTF-8 are escaped, so that nothing in it can steer a
 * terminal.
 */
struct shown_word {
    char text[96];
};
const char *show_word(const char *word, struct shown_word *buffer);

/* Shows a word as show_word() does, in a buffer that lives until the end of the enclosing block. */
#define SHOWN(word) show_word((word), &(struct shown_word){{0}})
