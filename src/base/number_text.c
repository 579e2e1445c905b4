/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Numbers are written by hand, because that runs once for each series of each scrape:
 * printf takes 100 to 300 ns where these functions take 10 to 30.
 *
 * A double is first tried as an integer divided by a power of ten. Both are
 * exact below 2^53 and 10^22, so the quotient is correctly rounded, and it is
 * what strtod() makes of that decimal: if the quotient is the value, the text reads
 * back as the same (Clinger's fast path, run backwards). A value with more digits is
 * written by printf, which is slow but rare.
 */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/text.h"

#define DIGITS_ROOM     32 /* a uint64_t has 20, a scaled double 1 and 22 decimals */
#define EXACT_INTEGER   9007199254740992.0 /* 2^53 */
#define UNIQUE_DECIMAL  1e15               /* below this, no two decimals are the same double */
#define SECONDS_DIGITS  9
#define EIGHT_DIGITS    100000000
#define SIGNIFICANT_MAX 15 /* decimal digits that every double holds */

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

/* Writes the eight digits of a value below 10^8, zeros in front, so that they end before `end`. */
static char *eight_digits_before(char *end, uint32_t value)
{
    for (int pair = 0; pair < 4; pair++) {
        end -= 2;
        memcpy(end, digit_pairs + 2 * (size_t)(value % 100), 2);
        value /= 100;
    }
    return end;
}

/* Writes the digits so that they end before `end`; returns where they begin. */
static char *digits_before(char *end, uint64_t value)
{
    uint32_t rest;

    /* A division of 64 bits is slow, so one gives eight digits; those are then divided as 32 bits.
     */
    for (; value >= EIGHT_DIGITS; value /= EIGHT_DIGITS)
        end = eight_digits_before(end, (uint32_t)(value % EIGHT_DIGITS));
    for (rest = (uint32_t)value; rest >= 100; rest /= 100) {
        end -= 2;
        memcpy(end, digit_pairs + 2 * (size_t)(rest % 100), 2);
    }
    if (rest < 10) {
        *--end = (char)('0' + rest);
        return end;
    }
    end -= 2;
    memcpy(end, digit_pairs + 2 * (size_t)rest, 2);
    return end;
}

/* Digits end at the middle. Behind it is room for append_digits() to read a fixed size. */
struct digits {
    char bytes[2 * DIGITS_ROOM];
};

static char *digits_end(struct digits *digits)
{
    return digits->bytes + DIGITS_ROOM;
}

/* Appends n of the digits: DIGITS_ROOM bytes are copied, which is cheaper than to copy just n. */
static void append_digits(struct text *text, const char *begin, size_t n)
{
    if (!text_reserve(text, DIGITS_ROOM))
        return;
    memcpy(text->data + text->length, begin, DIGITS_ROOM);
    text->length += n;
}

void text_append_u64(struct text *text, uint64_t value)
{
    struct digits digits;
    char *end = digits_end(&digits), *begin = digits_before(end, value);

    append_digits(text, begin, (size_t)(end - begin));
}

/* Writes value / 10^decimals with exactly that many decimals. */
static void append_scaled(struct text *text, uint64_t value, unsigned decimals)
{
    struct digits digits;
    char *end = digits_end(&digits), *begin = digits_before(end, value);

    while ((size_t)(end - begin) <= decimals)
        *--begin = '0';
    append_digits(text, begin, (size_t)(end - begin) - decimals);
    if (decimals == 0)
        return;
    text_append_char(text, '.');
    append_digits(text, end - decimals, decimals);
}

void text_append_seconds(struct text *text, uint64_t ns)
{
    append_scaled(text, ns, SECONDS_DIGITS);
}

/* Strips zeros at the end of the decimals; returns how many decimals are left. */
static unsigned strip_zeros(uint64_t *integer, unsigned decimals)
{
    for (; decimals >= 3 && *integer % 1000 == 0; decimals -= 3)
        *integer /= 1000;
    for (; decimals > 0 && *integer % 10 == 0; decimals--)
        *integer /= 10;
    return decimals;
}

/* Appends a value that has few decimals. Returns false, with nothing appended, for any other. */
static bool append_short_decimal(struct text *text, double magnitude)
{
    /* Rates are rounded to so many decimals (metric/account.c); the most usual come first. */
    static const struct {
        unsigned decimals;
        double scale;
    } tries[] = {{9, 1e9}, {6, 1e6}, {3, 1e3}, {12, 1e12}, {SIGNIFICANT_MAX, 1e15}, {22, 1e22}};

    if (magnitude == (double)(uint64_t)magnitude) {
        text_append_u64(text, (uint64_t)magnitude);
        return true;
    }
    for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
        double scaled = magnitude * tries[i].scale + 0.5;
        uint64_t integer;
        unsigned decimals;

        if (scaled >= UNIQUE_DECIMAL)
            continue;
        integer = (uint64_t)scaled;
        if ((double)integer / tries[i].scale != magnitude)
            continue;
        decimals = strip_zeros(&integer, tries[i].decimals);
        append_scaled(text, integer, decimals);
        return true;
    }
    return false;
}

/*
 * Appends the shortest text that reads back as the value. 17 digits always do; a subnormal value
 * holds fewer digits than the others, down to one.
 */
static void append_any_double(struct text *text, double value)
{
    int least = fpclassify(value) == FP_SUBNORMAL ? 1 : SIGNIFICANT_MAX;
    char digits[32];

    for (int precision = least; precision <= 17; precision++) {
        (void)snprintf(digits, sizeof(digits), "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    text_append_string(text, digits);
}

void text_append_double(struct text *text, double value)
{
    double magnitude = fabs(value);

    if (isnan(value)) {
        text_append_string(text, "NaN");
        return;
    }
    if (isinf(value)) {
        text_append_string(text, value > 0 ? "+Inf" : "-Inf");
        return;
    }
    if (magnitude != 0 && (magnitude < 1e-9 || magnitude >= EXACT_INTEGER)) {
        append_any_double(text, value);
        return;
    }
    if (signbit(value))
        text_append_char(text, '-');
    if (!append_short_decimal(text, magnitude))
        append_any_double(text, magnitude);
}
