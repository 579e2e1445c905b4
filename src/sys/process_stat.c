/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <string.h>

#include "sys/process.h"
#include "sys/stat_fields.h"

/* PF_EXITING and PF_KTHREAD of the kernel's sched.h */
#define EXITING       UINT64_C(0x00000004)
#define KERNEL_THREAD UINT64_C(0x00200000)

/* comm lies between the first `(`, before which there are only digits, and the last `)`. */
static bool parse_comm(const char *text, char *ret_comm, size_t size)
{
    size_t digits = strspn(text, "0123456789"), length;
    const char *begin = text + digits + 2, *end = strrchr(text, ')');

    if (digits == 0 || strncmp(text + digits, " (", 2) != 0 || !end || end < begin)
        return false;
    length = (size_t)(end - begin);
    if (length >= size || end[1] != ' ')
        return false;
    memcpy(ret_comm, begin, length);
    ret_comm[length] = '\0';
    return true;
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool process_stat_parse(const char *text, struct process_stat *ret_stat)
{
    struct process_stat stat = {0};
    const char *fields[STAT_FIELDS_];
    uint64_t parent, flags;

    if (!parse_comm(text, stat.comm, sizeof(stat.comm)) ||
        !stat_fields_find(text, STAT_START, fields) || !is_letter(*fields[STAT_STATE]) ||
        fields[STAT_STATE][1] != ' ' || !stat_field_parse(fields[STAT_PARENT], &parent) ||
        !stat_field_parse(fields[STAT_FLAGS], &flags) ||
        !stat_field_parse(fields[STAT_THREADS], &stat.threads) ||
        !stat_field_parse(fields[STAT_START], &stat.start_ticks) || parent > INT_MAX)
        return false;
    stat.state = *fields[STAT_STATE];
    stat.parent = (pid_t)parent;
    stat.kernel_thread = flags & KERNEL_THREAD;
    stat.exiting = flags & EXITING || stat.state == 'Z';
    *ret_stat = stat;
    return true;
}

bool process_stat_is_ended(const struct process_stat *stat)
{
    return stat->state == 'X' || stat->state == 'x' || (stat->state == 'Z' && stat->threads <= 1);
}

bool process_stat_is_about_to_end(const struct process_stat *stat)
{
    return stat->exiting && stat->threads <= 1;
}
