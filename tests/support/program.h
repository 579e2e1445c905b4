/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What small programs share that tests start: how they end on a failure, arguments, cgroups. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline _Noreturn void die(const char *what)
{
    (void)fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
    exit(1);
}

static inline unsigned long number(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (*end || end == text) {
        (void)fprintf(stderr, "%s: not a number: %s\n", program_invocation_short_name, text);
        exit(2);
    }
    return value;
}

/* Enters the cgroup whose cgroup.procs that is; "-": stays. */
static inline void enter_cgroup(const char *procs)
{
    FILE *file;

    if (strcmp(procs, "-") == 0)
        return;
    file = fopen(procs, "we");
    if (!file || fputs("0", file) < 0 || fclose(file) != 0)
        die(procs);
}
