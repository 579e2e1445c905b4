/* SPDX-License-Identifier: Apache-2.0 */
#include "event/modifiers.h"

#include <string.h>

#define LETTERS "ukh"
#define ALL     ((1U << (sizeof(LETTERS) - 1)) - 1)

/* The modes that the letters name, as bits in the order of LETTERS; 0: it is no modifier. */
static unsigned parse_letters(const char *text, size_t length)
{
    unsigned modes = 0;

    for (size_t i = 0; i < length; i++) {
        const char *letter = memchr(LETTERS, text[i], sizeof(LETTERS) - 1);
        unsigned mode;

        if (!letter)
            return 0;
        mode = 1U << (letter - LETTERS);
        if (modes & mode)
            return 0;
        modes |= mode;
    }
    return modes;
}

size_t modifiers_split(const char *name, struct event_code *ret_modifiers)
{
    size_t length = strlen(name);
    unsigned counted = 0;

    for (;;) {
        const char *colon = memrchr(name, ':', length);
        size_t begin = colon ? (size_t)(colon - name) : 0;
        unsigned modes = colon ? parse_letters(colon + 1, length - begin - 1) : 0;

        if (begin == 0 || modes == 0 || (counted & modes))
            break;
        counted |= modes;
        length = begin;
    }
    *ret_modifiers = (struct event_code){0};
    if (counted != 0 && counted != ALL) {
        ret_modifiers->exclude_user = !(counted & 1);
        ret_modifiers->exclude_kernel = !(counted & 2);
        ret_modifiers->exclude_hypervisor = !(counted & 4);
    }
    return length;
}

void modifiers_letters(const struct event_code *code, char ret_letters[4])
{
    size_t n = 0;

    if (code->exclude_user || code->exclude_kernel || code->exclude_hypervisor) {
        if (!code->exclude_user)
            ret_letters[n++] = 'u';
        if (!code->exclude_kernel)
            ret_letters[n++] = 'k';
        if (!code->exclude_hypervisor)
            ret_letters[n++] = 'h';
    }
    ret_letters[n] = '\0';
}
