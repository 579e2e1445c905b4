/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The parser of /proc/self/stat; it is apart from reading, so that tests can give it texts. */

#include <stdint.h>

/* What self_stats_read() wants of the file. */
struct self_stat {
    uint64_t threads;
    uint64_t start_ticks; /* after boot, in ticks of the clock of sysconf(_SC_CLK_TCK) */
    uint64_t virtual_bytes;
    uint64_t resident_pages;
};

/* proc(5): the name may hold anything, so that fields count from the last `)`. 0 or -EINVAL. */
int self_stat_parse(const char *text, struct self_stat *ret_stat);
