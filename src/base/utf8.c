/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <stdbool.h>

#include "base/cleanup.h"

/* forms[n - 1] describes characters of n bytes. */
static const struct form {
    unsigned char mask, lead; /* the first byte under the mask is `lead` */
    uint32_t smallest;        /* a smaller code point has a shorter form */
} forms[] = {
    {0x80, 0x00, 0x0},
    {0xe0, 0xc0, 0x80},
    {0xf0, 0xe0, 0x800},
    {0xf8, 0xf0, 0x10000},
};

/* Surrogates are halves of characters in UTF-16 and stand for nothing in UTF-8. */
static bool is_scalar(uint32_t code)
{
    return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}

size_t utf8_decode(const char *bytes, size_t n, uint32_t *ret_code)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t length = 1;
    uint32_t code;

    if (n == 0)
        return 0;
    while (length <= ARRAY_SIZE(forms) &&
           (at[0] & forms[length - 1].mask) != forms[length - 1].lead)
        length++;
    if (length > ARRAY_SIZE(forms) || length > n)
        return 0;
    code = at[0] & (unsigned char)~forms[length - 1].mask;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3fU);
    }
    if (code < forms[length - 1].smallest || !is_scalar(code))
        return 0;
    *ret_code = code;
    return length;
}
