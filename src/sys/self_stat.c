/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/self_stat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Fields by their number in proc(5). */
#define FIELD_STATE         3
#define FIELD_NUM_THREADS   20
#define FIELD_STARTTIME     22
#define FIELD_VSIZE         23
#define FIELD_RSS           24
#define FIELD_LAST_OF_THESE FIELD_RSS

static int parse_field(const char *field, uint64_t *ret_value)
{
    char *end;

    if (*field < '0' || *field > '9')
        return -EINVAL;
    errno = 0;
    *ret_value = strtoull(field, &end, 10);
    return errno != 0 || (*end != ' ' && *end != '\n' && *end != '\0') ? -EINVAL : 0;
}

int self_stat_parse(const char *text, struct self_stat *ret_stat)
{
    const char *fields[FIELD_LAST_OF_THESE + 1] = {0};
    const char *cursor = strrchr(text, ')');
    struct self_stat stat;

    if (!cursor)
        return -EINVAL;
    for (int i = FIELD_STATE; i <= FIELD_LAST_OF_THESE; i++) {
        cursor = strchr(cursor, ' ');
        if (!cursor)
            return -EINVAL;
        fields[i] = ++cursor;
    }
    if (parse_field(fields[FIELD_NUM_THREADS], &stat.threads) < 0 ||
        parse_field(fields[FIELD_STARTTIME], &stat.start_ticks) < 0 ||
        parse_field(fields[FIELD_VSIZE], &stat.virtual_bytes) < 0 ||
        parse_field(fields[FIELD_RSS], &stat.resident_pages) < 0)
        return -EINVAL;
    *ret_stat = stat;
    return 0;
}
