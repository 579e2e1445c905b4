/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/stat_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool stat_fields_find(const char *text, enum stat_field last, const char *ret_fields[STAT_FIELDS_])
{
    const char *cursor = strrchr(text, ')');

    if (!cursor)
        return false;
    for (int i = STAT_STATE; i <= (int)last; i++) {
        cursor = strchr(cursor, ' ');
        if (!cursor)
            return false;
        ret_fields[i] = ++cursor;
    }
    return true;
}

bool stat_field_parse(const char *field, uint64_t *ret_value)
{
    uint64_t value;
    char *end;

    if (*field < '0' || *field > '9')
        return false;
    errno = 0;
    value = strtoull(field, &end, 10);
    if (errno != 0 || (*end != ' ' && *end != '\n' && *end != '\0'))
        return false;
    *ret_value = value;
    return true;
}
