/* SPDX-License-Identifier: Apache-2.0 */
#include "web/credentials.h"

#include <string.h>
#include <strings.h>

/* Name, colon and password; a longer text is that of no user. */
#define LONGEST (2 * PASSWORD_LONGEST + 1)

/* The value of a letter of base64 (RFC 4648, 4), or -1. */
static int letter_value(char c)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *const at = c ? strchr(letters, c) : NULL;

    return at ? (int)(at - letters) : -1;
}

/* Decodes base64 with its padding, into LONGEST bytes at the most. Returns false if it is none. */
static bool decode(const char *text, char *ret_bytes, size_t *ret_length)
{
    const size_t length = strlen(text);
    size_t letters = length, n = 0;
    unsigned bits = 0;

    if (length == 0 || length % 4 != 0)
        return false;
    while (letters > length - 2 && text[letters - 1] == '=')
        letters--;
    for (size_t i = 0; i < letters; i++) {
        const int value = letter_value(text[i]);

        if (value < 0)
            return false;
        bits = bits << 6 | (unsigned)value;
        if (i % 4 == 0)
            continue;
        if (n == LONGEST)
            return false;
        ret_bytes[n++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
    }
    *ret_length = n;
    return true;
}

static bool split(const char *bytes, size_t length, struct credentials *ret_credentials)
{
    const char *const colon = memchr(bytes, ':', length);
    size_t name, password;

    if (!colon || memchr(bytes, '\0', length))
        return false;
    name = (size_t)(colon - bytes);
    password = length - name - 1;
    if (name > PASSWORD_LONGEST || password > PASSWORD_LONGEST)
        return false;
    memcpy(ret_credentials->name, bytes, name);
    ret_credentials->name[name] = '\0';
    memcpy(ret_credentials->password, colon + 1, password);
    ret_credentials->password[password] = '\0';
    return true;
}

bool credentials_parse(const char *header, struct credentials *ret_credentials)
{
    char bytes[LONGEST];
    size_t length = 0;
    bool is_good;

    if (strncasecmp(header, "Basic ", strlen("Basic ")) != 0)
        return false;
    header += strlen("Basic ");
    header += strspn(header, " ");
    is_good = decode(header, bytes, &length) && split(bytes, length, ret_credentials);
    explicit_bzero(bytes, sizeof(bytes));
    return is_good;
}
