/* SPDX-License-Identifier: Apache-2.0 */
#include "event/probe.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "event/modifiers.h"

#define RETURN_SUFFIX "%return"
#define NAME_LETTERS  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define NAME_DIGITS   "0123456789"
#define MOST_NUMBER   100000 /* of USDT probes of one name */

static const char *const expected[PROBE_KIND_COUNT_] = {
    [PROBE_KERNEL] = "a function of the kernel, such as vfs_read, vfs_read+0x10 or "
                     "vfs_read%return",
    [PROBE_USER] = "an absolute path and a function, such as /usr/bin/bash:readline, with +0x10 or "
                   "%return behind it",
    [PROBE_USDT] = "an absolute path, a provider and a name, such as "
                   "/usr/lib/libc.so.6:libc:setjmp, with #2 behind it for the second of that name",
};

const char *probe_place_expected(enum probe_kind kind)
{
    return expected[kind];
}

void probe_place_done(struct probe_place *place)
{
    free(place->file);
    free(place->provider);
    free(place->symbol);
    *place = (struct probe_place){0};
}

/* Decimal digits, or 0x and hexadecimal ones. */
static int parse_offset(const char *text, uint64_t *ret_offset)
{
    return strncmp(text, "0x", 2) == 0 ? parse_hex(text + 2, ret_offset)
                                       : parse_u64(text, ret_offset);
}

/* Cuts the text at the last of these letters, and returns what stood behind it; NULL: none. */
static char *cut(char *text, char letter)
{
    char *found = strrchr(text, letter);

    if (!found)
        return NULL;
    *found = '\0';
    return found + 1;
}

static bool cut_return(char *text)
{
    const size_t length = strlen(text), suffix = strlen(RETURN_SUFFIX);

    if (length <= suffix || strcmp(text + length - suffix, RETURN_SUFFIX) != 0)
        return false;
    text[length - suffix] = '\0';
    return true;
}

/* Reads what stands behind a function, and cuts it off. 0 or -EINVAL. */
static int cut_function(char *text, struct probe_place *place)
{
    char *offset;

    place->is_return = cut_return(text);
    offset = cut(text, '+');
    if (offset && (place->is_return || parse_offset(offset, &place->offset) < 0))
        return -EINVAL;
    return 0;
}

/* Reads which of several USDT probes is meant, and cuts it off. 0 or -EINVAL. */
static int cut_number(char *text, struct probe_place *place)
{
    const char *digits = cut(text, '#');
    uint64_t number = 0;

    if (digits && (parse_u64(digits, &number) < 0 || number == 0 || number > MOST_NUMBER))
        return -EINVAL;
    place->number = (unsigned)number;
    return 0;
}

static bool is_symbol(const char *text)
{
    return text && *text && strlen(text) < PROBE_SYMBOL_SIZE && !strpbrk(text, " \t\n%/");
}

/* Cuts the path off, and moves what is behind it to the front. 0, -EINVAL or -ENOMEM. */
static int take_file(char *text, struct probe_place *place, const char *rest)
{
    if (!rest || text[0] != '/' || strlen(text) >= PATH_MAX)
        return -EINVAL;
    place->file = strdup(text);
    return place->file ? 0 : -ENOMEM;
}

static int take_symbol(const char *symbol, char **ret_symbol)
{
    if (!is_symbol(symbol))
        return -EINVAL;
    *ret_symbol = strdup(symbol);
    return *ret_symbol ? 0 : -ENOMEM;
}

static int parse_kernel(char *text, struct probe_place *place)
{
    int r = cut_function(text, place);

    return r < 0 ? r : take_symbol(text, &place->symbol);
}

static int parse_user(char *text, struct probe_place *place)
{
    char *function = cut(text, ':');
    int r = take_file(text, place, function);

    if (r >= 0)
        r = cut_function(function, place);
    return r < 0 ? r : take_symbol(function, &place->symbol);
}

static int parse_usdt(char *text, struct probe_place *place)
{
    char *name = cut(text, ':'), *provider = name ? cut(text, ':') : NULL;
    int r = take_file(text, place, provider);

    if (r >= 0)
        r = cut_number(name, place);
    if (r >= 0)
        r = take_symbol(provider, &place->provider);
    return r < 0 ? r : take_symbol(name, &place->symbol);
}

static int (*const parsers[PROBE_KIND_COUNT_])(char *, struct probe_place *) = {
    [PROBE_KERNEL] = parse_kernel,
    [PROBE_USER] = parse_user,
    [PROBE_USDT] = parse_usdt,
};

int probe_place_parse(enum probe_kind kind, const char *text, struct probe_place *ret_place)
{
    AUTO_FREE char *copy = strdup(text);
    struct probe_place place = {0};
    int r = copy ? parsers[kind](copy, &place) : -ENOMEM;

    if (r < 0) {
        probe_place_done(&place);
        return r;
    }
    *ret_place = place;
    return 0;
}

bool probe_name_valid(const char *name)
{
    AUTO_FREE char *event = NULL;
    struct event_code modifiers;
    size_t length;

    if (!*name || strchr(NAME_DIGITS, *name) ||
        name[strspn(name, NAME_LETTERS NAME_DIGITS)] != '\0')
        return false;
    length = strlen(PROBE_PREFIX) + strlen(name);
    event = malloc(length + 1);
    if (!event)
        return false;
    (void)stpcpy(stpcpy(event, PROBE_PREFIX), name);
    return modifiers_split(event, &modifiers) == length;
}
