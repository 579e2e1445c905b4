/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/self_stat.h"

#include <errno.h>

#include "sys/stat_fields.h"

int self_stat_parse(const char *text, struct self_stat *ret_stat)
{
    const char *fields[STAT_FIELDS_];
    struct self_stat stat;

    if (!stat_fields_find(text, STAT_RESIDENT_PAGES, fields) ||
        !stat_field_parse(fields[STAT_THREADS], &stat.threads) ||
        !stat_field_parse(fields[STAT_START], &stat.start_ticks) ||
        !stat_field_parse(fields[STAT_VIRTUAL_BYTES], &stat.virtual_bytes) ||
        !stat_field_parse(fields[STAT_RESIDENT_PAGES], &stat.resident_pages))
        return -EINVAL;
    *ret_stat = stat;
    return 0;
}
