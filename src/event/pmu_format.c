/* SPDX-License-Identifier: Apache-2.0 */
#include "event/pmu_format.h"

#include <errno.h>
#include <string.h>

#define N_BITS 64

/* The longer names come first, since all of them begin with "config". */
static const struct {
    const char *name;
    enum code_number number;
} names[] = {
    {"config1", CODE_CONFIG1},
    {"config2", CODE_CONFIG2},
    {"config3", CODE_CONFIG3},
    {"config", CODE_CONFIG},
};

size_t code_number_parse(const char *text, enum code_number *ret_number)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const size_t length = strlen(names[i].name);

        if (strncmp(text, names[i].name, length) == 0) {
            *ret_number = names[i].number;
            return length;
        }
    }
    return 0;
}

const char *code_number_name(enum code_number number)
{
    size_t i = 0;

    while (names[i].number != number)
        i++;
    return names[i].name;
}

uint64_t *code_number_of(struct event_code *code, enum code_number number)
{
    switch (number) {
    case CODE_CONFIG:
        return &code->config;
    case CODE_CONFIG1:
        return &code->config1;
    case CODE_CONFIG2:
        return &code->config2;
    default:
        return NULL;
    }
}

/* Reads the number of a bit, and moves the text behind it. N_BITS: it is none. */
static unsigned take_bit(const char **text)
{
    unsigned bit = 0;
    const char *digit = *text;

    for (; *digit >= '0' && *digit <= '9' && bit < N_BITS; digit++)
        bit = bit * 10 + (unsigned)(*digit - '0');
    if (digit == *text || bit >= N_BITS)
        return N_BITS;
    *text = digit;
    return bit;
}

/* The bits of a range, "0-7" or "18". 0: it is none. */
static uint64_t take_range(const char **text)
{
    const unsigned first = take_bit(text);
    unsigned last = first;

    if (first < N_BITS && **text == '-') {
        ++*text;
        last = take_bit(text);
    }
    if (last >= N_BITS || last < first)
        return 0;
    return (UINT64_MAX >> (N_BITS - 1 - (last - first))) << first;
}

int pmu_format_parse(const char *text, struct pmu_format *ret_format)
{
    struct pmu_format format = {0};
    const size_t length = code_number_parse(text, &format.number);

    if (length == 0)
        return -EINVAL;
    text += length;
    do {
        uint64_t range;

        if (*text != (format.bits ? ',' : ':'))
            return -EINVAL;
        text++;
        range = take_range(&text);
        if (!range)
            return -EINVAL;
        format.bits |= range;
    } while (*text);
    *ret_format = format;
    return 0;
}

uint64_t pmu_format_maximum(const struct pmu_format *format)
{
    const int n = __builtin_popcountll(format->bits);

    return n == 0 ? 0 : UINT64_MAX >> (N_BITS - n);
}

uint64_t pmu_format_spread(const struct pmu_format *format, uint64_t value)
{
    uint64_t spread = 0;

    for (uint64_t left = format->bits; left && value; left &= left - 1, value >>= 1)
        if (value & 1)
            spread |= left & -left;
    return spread;
}
