/* SPDX-License-Identifier: Apache-2.0 */
#include "base/parse.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"

int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Parses the digits at the beginning of *text and moves *text to the first other character. */
static int take_digits(const char **text, unsigned base, uint64_t *ret_value)
{
    const char *cursor = *text;
    uint64_t value = 0;
    int digit;

    for (; (digit = digit_value(*cursor)) >= 0 && (unsigned)digit < base; cursor++)
        if (__builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, (unsigned)digit, &value))
            return -ERANGE;
    if (cursor == *text)
        return -EINVAL;
    *text = cursor;
    *ret_value = value;
    return 0;
}

/* Parses a text of which each character is a digit of the base. */
static int parse_whole(const char *text, unsigned base, uint64_t *ret_value)
{
    uint64_t value;
    int r = take_digits(&text, base, &value);

    if (r < 0)
        return r;
    if (*text)
        return -EINVAL;
    *ret_value = value;
    return 0;
}

int parse_u64(const char *text, uint64_t *ret_value)
{
    return parse_whole(text, 10, ret_value);
}

int parse_hex(const char *text, uint64_t *ret_value)
{
    return parse_whole(text, 16, ret_value);
}

/* A unit is compared with the beginning of the text, so "ms" must come before "m". */
static const struct duration_unit {
    const char *suffix;
    uint64_t ns;
} duration_units[] = {
    {"d", NS_PER_SECOND * 3600 * 24}, {"h", NS_PER_SECOND * 3600}, {"ms", NS_PER_SECOND / 1000},
    {"m", NS_PER_SECOND * 60},        {"s", NS_PER_SECOND},
};

static const struct duration_unit *take_duration_unit(const char **text)
{
    for (size_t i = 0; i < ARRAY_SIZE(duration_units); i++) {
        size_t length = strlen(duration_units[i].suffix);

        if (strncmp(*text, duration_units[i].suffix, length) == 0) {
            *text += length;
            return &duration_units[i];
        }
    }
    return NULL;
}

int parse_duration_ns(const char *text, uint64_t *ret_ns)
{
    uint64_t total = 0, last_unit = UINT64_MAX;

    if (strcmp(text, "0") == 0) {
        *ret_ns = 0;
        return 0;
    }
    do { /* each round takes one number with its unit */
        const struct duration_unit *unit;
        uint64_t value;
        int r = take_digits(&text, 10, &value);

        if (r < 0)
            return r;
        unit = take_duration_unit(&text);
        if (!unit || unit->ns >= last_unit)
            return -EINVAL;
        last_unit = unit->ns;
        if (__builtin_mul_overflow(value, unit->ns, &value) ||
            __builtin_add_overflow(total, value, &total))
            return -ERANGE;
    } while (*text);
    *ret_ns = total;
    return 0;
}

int parse_bytes(const char *text, uint64_t *ret_bytes)
{
    static const struct {
        const char *suffix;
        unsigned shift;
    } units[] = {{"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
    uint64_t value;
    int r = take_digits(&text, 10, &value);

    if (r < 0)
        return r;
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (strcmp(text, units[i].suffix) == 0) {
            if (value > UINT64_MAX >> units[i].shift)
                return -ERANGE;
            *ret_bytes = value << units[i].shift;
            return 0;
        }
    return -EINVAL;
}
