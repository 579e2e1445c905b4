/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Strict parsing of numbers as users write them. The whole text must be the
 * value: no white space, no sign, nothing behind it.
 *
 * Each returns 0; -EINVAL if the text is not of that form, -ERANGE if the value
 * does not fit. On failure the output is untouched.
 */

#include <stdint.h>

/* Decimal digits only. */
int parse_u64(const char *text, uint64_t *ret_value);

/* Hexadecimal digits without a prefix, as in the r1a8 of perf. */
int parse_hex(const char *text, uint64_t *ret_value);

/*
 * A duration as Prometheus writes it: digits and a unit of ms, s, m, h or d, in
 * falling order ("1h30m"). "0" needs no unit.
 */
int parse_duration_ns(const char *text, uint64_t *ret_ns);

/* Bytes: digits, and KiB, MiB, GiB or nothing behind them. */
int parse_bytes(const char *text, uint64_t *ret_bytes);

/* What a decimal or hexadecimal digit stands for, of either case; -1: it is none. */
int digit_value(char c);
