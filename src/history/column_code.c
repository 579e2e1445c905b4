/* SPDX-License-Identifier: Apache-2.0 */
#include "history/column_code.h"

#include <errno.h>

/* What is left over longer than this is written as it is, behind so many ones. */
#define LONGEST_UNARY 24

void code_append_varint(struct text *text, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        text_append_char(text, (char)(0x80 | (value & 0x7f)));
    text_append_char(text, (char)value);
}

int code_read_varint(struct code_cursor *cursor, uint64_t *ret_value)
{
    uint64_t value = 0;
    size_t at = cursor->at;

    for (unsigned shift = 0; shift < 64 && at < cursor->length; shift += 7) {
        const uint8_t byte = cursor->bytes[at++];

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            cursor->at = at;
            *ret_value = value;
            return 0;
        }
    }
    return -EBADMSG;
}

/* A remainder is taken for no larger than this, so that eight of them stay below 2^64. */
#define LARGEST_PARAMETER 59
#define LARGEST_REMAINDER (UINT64_C(1) << LARGEST_PARAMETER)

/* What both sides know of a column at the same place of it. */
struct expectation {
    uint64_t last;       /* the number before */
    uint64_t difference; /* the expected one */
    uint64_t remainder;  /* how large a remainder is on average, times 8 */
};

static unsigned rice_parameter(const struct expectation *expectation)
{
    const uint64_t mean = expectation->remainder / 8;

    return mean ? 63 - (unsigned)__builtin_clzll(mean) : 0;
}

static void learn(struct expectation *expectation, uint64_t number, uint64_t difference,
                  uint64_t code)
{
    const int64_t remainder = (int64_t)(difference - expectation->difference);
    const uint64_t remainder_before = expectation->remainder;

    expectation->last = number;
    expectation->difference += (uint64_t)(remainder / 8);
    expectation->remainder += (code < LARGEST_REMAINDER ? code : LARGEST_REMAINDER);
    expectation->remainder -= remainder_before / 8;
}

struct bits_out {
    struct text *text;
    uint64_t bits;
    unsigned n; /* fewer than 8 between two calls */
};

/* Appends the n lowest bits of a value, of which n is 32 at most. */
static void put_bits(struct bits_out *out, uint64_t value, unsigned n)
{
    out->bits = (out->bits << n) | (value & ((UINT64_C(1) << n) - 1));
    for (out->n += n; out->n >= 8; out->n -= 8)
        text_append_char(out->text, (char)(out->bits >> (out->n - 8)));
}

static void put_wide(struct bits_out *out, uint64_t value, unsigned n)
{
    if (n > 32)
        put_bits(out, value >> 32, n - 32);
    put_bits(out, value, n > 32 ? 32 : n);
}

static void put_code(struct bits_out *out, uint64_t code, unsigned parameter)
{
    const uint64_t unary = code >> parameter;

    if (unary >= LONGEST_UNARY) {
        put_bits(out, (UINT64_C(1) << LONGEST_UNARY) - 1, LONGEST_UNARY);
        put_wide(out, code, 64);
        return;
    }
    put_bits(out, (UINT64_C(1) << (unary + 1)) - 2, (unsigned)unary + 1);
    put_wide(out, code, parameter);
}

struct bits_in {
    struct code_cursor *cursor;
    uint64_t bits;
    unsigned n;
};

static int take_bits(struct bits_in *in, unsigned n, uint64_t *ret_value)
{
    while (in->n < n) {
        if (in->cursor->at == in->cursor->length)
            return -EBADMSG;
        in->bits = (in->bits << 8) | in->cursor->bytes[in->cursor->at++];
        in->n += 8;
    }
    in->n -= n;
    *ret_value = (in->bits >> in->n) & ((UINT64_C(1) << n) - 1);
    return 0;
}

static int take_wide(struct bits_in *in, unsigned n, uint64_t *ret_value)
{
    uint64_t high = 0, low = 0;
    int r = 0;

    if (n > 32)
        r = take_bits(in, n - 32, &high);
    if (r == 0)
        r = take_bits(in, n > 32 ? 32 : n, &low);
    *ret_value = (high << 32) | low;
    return r;
}

/* Reads bytes ahead, for as many bits as there is room; what is left over is given back. */
static void read_ahead(struct bits_in *in)
{
    while (in->n <= 56 && in->cursor->at < in->cursor->length) {
        in->bits = (in->bits << 8) | in->cursor->bytes[in->cursor->at++];
        in->n += 8;
    }
}

/* Reads ones, LONGEST_UNARY of them or fewer and a zero. */
static int take_unary(struct bits_in *in, uint64_t *ret_unary)
{
    uint64_t zeros;
    unsigned ones;

    read_ahead(in);
    zeros = in->n ? ~(in->bits << (64 - in->n)) : UINT64_MAX;
    ones = zeros ? (unsigned)__builtin_clzll(zeros) : 64;
    if (ones > LONGEST_UNARY)
        ones = LONGEST_UNARY;
    if (in->n < ones + (ones < LONGEST_UNARY))
        return -EBADMSG;
    in->n -= ones + (ones < LONGEST_UNARY);
    *ret_unary = ones;
    return 0;
}

static int take_code(struct bits_in *in, unsigned parameter, uint64_t *ret_code)
{
    uint64_t unary = 0, low = 0;
    int r = take_unary(in, &unary);

    if (r < 0 || unary == LONGEST_UNARY)
        return r < 0 ? r : take_wide(in, 64, ret_code);
    r = take_wide(in, parameter, &low);
    *ret_code = (unary << parameter) | low;
    return r;
}

static struct expectation begin_with(uint64_t number, uint64_t difference, unsigned parameter)
{
    return (struct expectation){.last = number,
                                .difference = difference,
                                .remainder = parameter ? UINT64_C(8) << parameter : 0};
}

/* The first number, the average difference, and how far differences are from it. */
static struct expectation first_expectation(const uint64_t *numbers, size_t stride, size_t n)
{
    const uint64_t steps = n - 1;
    unsigned __int128 sum = 0;
    uint64_t difference, mean;
    unsigned parameter;

    if (steps == 0)
        return begin_with(numbers[0], 0, 0);
    difference = (numbers[steps * stride] - numbers[0]) / steps;
    for (size_t i = 1; i < n; i++)
        sum += code_zigzag(numbers[i * stride] - numbers[(i - 1) * stride] - difference);
    mean = (uint64_t)(sum / steps);
    parameter = mean ? 63 - (unsigned)__builtin_clzll(mean) : 0;
    return begin_with(numbers[0], difference,
                      parameter < LARGEST_PARAMETER ? parameter : LARGEST_PARAMETER);
}

void code_append_column(struct text *text, const uint64_t *numbers, size_t stride, size_t n)
{
    struct expectation expectation;
    struct bits_out out = {.text = text};

    if (n == 0)
        return;
    expectation = first_expectation(numbers, stride, n);
    code_append_varint(text, expectation.last);
    if (n == 1)
        return;
    code_append_varint(text, code_zigzag(expectation.difference));
    text_append_char(text, (char)rice_parameter(&expectation));
    for (size_t i = 1; i < n; i++) {
        const uint64_t number = numbers[i * stride], difference = number - expectation.last;
        const uint64_t code = code_zigzag(difference - expectation.difference);

        put_code(&out, code, rice_parameter(&expectation));
        learn(&expectation, number, difference, code);
    }
    if (out.n > 0)
        put_bits(&out, 0, 8 - out.n);
}

static int read_expectation(struct code_cursor *cursor, size_t n, struct expectation *ret_first)
{
    uint64_t number, difference = 0;
    unsigned parameter = 0;
    int r = code_read_varint(cursor, &number);

    if (r == 0 && n > 1)
        r = code_read_varint(cursor, &difference);
    if (r == 0 && n > 1)
        parameter = cursor->at < cursor->length ? cursor->bytes[cursor->at++] : UINT8_MAX;
    if (r < 0 || parameter > LARGEST_PARAMETER)
        return -EBADMSG;
    *ret_first = begin_with(number, code_unzigzag(difference), parameter);
    return 0;
}

int code_read_column(struct code_cursor *cursor, uint64_t *numbers, size_t stride, size_t n)
{
    struct expectation expectation = {0};
    struct bits_in in = {.cursor = cursor};
    int r = n ? read_expectation(cursor, n, &expectation) : 0;

    if (r < 0 || n == 0)
        return r;
    numbers[0] = expectation.last;
    for (size_t i = 1; i < n; i++) {
        uint64_t code, difference;

        r = take_code(&in, rice_parameter(&expectation), &code);
        if (r < 0)
            return r;
        difference = code_unzigzag(code) + expectation.difference;
        numbers[i * stride] = expectation.last + difference;
        learn(&expectation, numbers[i * stride], difference, code);
    }
    cursor->at -= in.n / 8;
    return 0;
}
