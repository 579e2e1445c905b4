/* SPDX-License-Identifier: Apache-2.0 */
#include "web/request_target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/parse.h"

bool host_is_valid(struct piece host)
{
    static const char characters[] = "0123456789abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ!$%&'()*+,-.:;=[]_~";

    for (size_t i = 0; i < host.length; i++)
        if (host.at[i] == '\0' || !strchr(characters, host.at[i]))
            return false;
    return host.length > 0;
}

/* Takes the next character from the piece and decodes it. Returns -1 for a % without two digits. */
static int take_character(struct piece *piece)
{
    const char c = piece->at[0];
    int high, low;

    piece->at++;
    piece->length--;
    if (c != '%')
        return (unsigned char)c;
    if (piece->length < 2)
        return -1;
    high = digit_value(piece->at[0]);
    low = digit_value(piece->at[1]);
    if (high < 0 || low < 0)
        return -1;
    piece->at += 2;
    piece->length -= 2;
    return high * 16 + low;
}

/* A text has no space and no control character; it may have bytes beyond ASCII. */
static bool is_visible(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || *text == 0x7f)
            return false;
    return true;
}

static bool is_good_path(struct piece path)
{
    while (path.length > 0) {
        const bool encoded = path.at[0] == '%';
        const int c = take_character(&path);

        if (c <= 0 || (encoded && c == '/'))
            return false;
    }
    return true;
}

/* Returns what stands behind http://HOST:PORT, or the text itself if it does not begin so. */
static const char *skip_authority(const char *text, struct piece *ret_authority)
{
    static const char *const schemes[] = {"http://", "https://"};

    *ret_authority = (struct piece){text, 0};
    for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
        if (strncasecmp(text, schemes[i], strlen(schemes[i])) == 0) {
            ret_authority->at = text + strlen(schemes[i]);
            ret_authority->length = strcspn(ret_authority->at, "/?");
            return ret_authority->at + ret_authority->length;
        }
    return text;
}

static struct piece path_of(const char *rest, bool has_authority)
{
    const size_t length = strcspn(rest, "?");

    if (length == 0 && has_authority)
        return (struct piece){"/", 1};
    return (struct piece){rest, length};
}

int request_target_parse(const char *text, struct request_target *ret_target)
{
    struct request_target target;
    const char *rest;

    if (!is_visible(text))
        return -EINVAL;
    rest = skip_authority(text, &target.authority);
    if (rest != text && !host_is_valid(target.authority))
        return -EINVAL;
    target.path = path_of(rest, rest != text);
    rest += strcspn(rest, "?");
    rest += rest[0] == '?' ? 1 : 0;
    target.query = (struct piece){rest, strlen(rest)};
    if (target.path.length == 0 || target.path.at[0] != '/' || !is_good_path(target.path) ||
        strstr(text, "%00"))
        return -EINVAL;
    *ret_target = target;
    return 0;
}

char *request_target_path(const struct request_target *target)
{
    struct piece rest = target->path;
    char *const path = malloc(rest.length + 1);
    char *end = path;

    if (!path)
        return NULL;
    while (rest.length > 0)
        *end++ = (char)take_character(&rest);
    *end = '\0';
    return path;
}

bool request_target_is_below(const struct request_target *target, const char *path)
{
    const size_t length = strlen(path);

    return target->path.length >= length && memcmp(target->path.at, path, length) == 0;
}
