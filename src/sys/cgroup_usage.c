/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/cgroup_usage.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "sys/small_file.h"

#define KEY "usage_usec "

int cgroup_usage_parse(const char *text, uint64_t *ret_usec)
{
    const char *value = strncmp(text, KEY, strlen(KEY)) == 0 ? text : strstr(text, "\n" KEY);
    char digits[24];
    size_t n;

    if (!value)
        return -EINVAL;
    value += (*value == '\n') + strlen(KEY);
    n = strcspn(value, "\n");
    if (n >= sizeof(digits))
        return -EINVAL;
    memcpy(digits, value, n);
    digits[n] = '\0';
    return parse_u64(digits, ret_usec);
}

int cgroup_usage_read(int directory_fd, uint64_t *ret_usec)
{
    char text[4096];
    int r = small_file_read(directory_fd, "cpu.stat", text, sizeof(text));

    return r < 0 ? r : cgroup_usage_parse(text, ret_usec);
}
