/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Strict parsing of numbers as users write them. The whole text must be the
 * value: no white space, no sign, nothing behind it. A number with a typing error
 * must not pass as another number.
 *
 * Each function returns 0; -EINVAL if the text does not have the form; -ERANGE if
 * the value does not fit. On failure the output is untouched.
 */

#include <stdint.h>

/* Parses decimal digits. */
int parse_u64(const char *text, uint64_t *ret_value);

/* Parses hexadecimal digits without a prefix, as in the r1a8 of perf. */
int parse_hex(const char *text, uint64_t *ret_value);

/*
 * Parses a duration as Prometheus writes it: digits and one of the units d, h, m, s and ms,
 * once or several times, a larger unit before a smaller one ("1h30m"). "0" needs no unit.
 */
int parse_duration_ns(const char *text, uint64_t *ret_ns);

/* Parses a number of bytes: digits, and KiB, MiB, GiB or nothing behind them. */
int parse_bytes(const char *text, uint64_t *ret_bytes);

/* Returns the value of a decimal or hexadecimal digit of either case, or -1 for any other
 * character. */
int digit_value(char c);
