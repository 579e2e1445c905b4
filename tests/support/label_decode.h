/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * From the value of a label back to the name that it was made of (target/label_value.h). The
 * product never goes this way; tests do, to see that each name has a value of its own.
 */

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "target/cgroup_path.h"

static inline int label_digit_value(char digit)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *at = digit ? strchr(digits, digit) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* Decodes one byte. False if the text is not what label_value_append() writes. */
static inline bool label_take_byte(const char **encoded, char *ret_byte)
{
    int high, low;

    if (**encoded != '%') {
        *ret_byte = *(*encoded)++;
        return true;
    }
    high = label_digit_value((*encoded)[1]);
    low = high < 0 ? -1 : label_digit_value((*encoded)[2]);
    if (low < 0 || high * 16 + low == 0)
        return false;
    *ret_byte = (char)(high * 16 + low);
    *encoded += 3;
    return true;
}

/*
 * Appends the name that was encoded; `encoded` begins behind the mark. 0; -EINVAL if it is no
 * encoded name; -ENOMEM.
 */
static inline int label_value_decode(const char *encoded, struct text *name)
{
    char byte;

    for (; *encoded; text_append_char(name, byte))
        if (!label_take_byte(&encoded, &byte))
            return -EINVAL;
    return text_error(name);
}

/* The label of this path, which the caller frees, or NULL. */
static inline char *cgroup_label_of(const char *path)
{
    struct text text = {0};

    cgroup_path_append_label(&text, path);
    return text_take(&text);
}

/*
 * Finds the path that a label was made of. The caller frees it. Returns 0; -EINVAL if no path has
 * that label; -ENAMETOOLONG if the label was cut; -ENOMEM.
 */
static inline int cgroup_path_from_label(const char *label, char **ret_path)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = NULL, *again = NULL;

    if (cgroup_label_is_cut(label))
        return -ENAMETOOLONG;
    if (*label != '%')
        text_append_string(&text, label);
    else if (label_value_decode(label + 1, &text) == -EINVAL)
        return -EINVAL;
    path = text_take(&text);
    again = path ? cgroup_label_of(path) : NULL;
    if (!again)
        return -ENOMEM;
    /* a path has one label: a text that this path does not make is no label */
    if (path[0] != '/' || strcmp(again, label) != 0)
        return -EINVAL;
    *ret_path = TAKE(path);
    return 0;
}
