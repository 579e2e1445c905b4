/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Names that perf takes and that no source of ours knows yet. They differ from slips of the pen in
 * that the machine has them: a tracepoint has a directory in tracefs. Where a source comes for a
 * kind of them, its part here goes.
 */
#include "event/uncounted.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "event/resolver.h"

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."

/* Whether the n bytes are the name of a file, and not a way to another directory. */
static bool is_name(const char *text, size_t n)
{
    return n > 0 && n <= NAME_MAX && text[0] != '.' && strspn(text, NAME_CHARACTERS) >= n;
}

static bool exists(int directory_fd, const char *path)
{
    return faccessat(directory_fd, path, F_OK, 0) == 0;
}

/*
 * "sched:sched_switch", "kmem:*". Of a wildcard only the subsystem is looked up; behind a second
 * colon stand modifiers.
 */
static bool is_tracepoint(int tracefs_fd, const char *name)
{
    const size_t n_system = strcspn(name, ":");
    const char *point = name + n_system + 1;
    char path[3 * NAME_MAX];
    bool is_whole;
    size_t n_point;

    if (!name[n_system] || !is_name(name, n_system) || !*point)
        return false;
    n_point = strcspn(point, ":*?");
    if (n_point > 0 && !is_name(point, n_point))
        return false;
    is_whole = point[n_point] == '\0' || point[n_point] == ':';
    (void)snprintf(path, sizeof(path), "events/%.*s/%.*s", (int)n_system, name,
                   is_whole ? (int)n_point : 0, point);
    return exists(tracefs_fd, path);
}

const char *uncounted_on_this_machine(const struct source_context *context, const char *name)
{
    return is_tracepoint(context->tracefs_fd, name) ? "tracepoints" : NULL;
}

/*
 * Lower case with an underscore, as tracepoints are named. An event of libpfm4 with a unit mask has
 * a colon, too, but capitals ("INST_RETIRED:ANY_P").
 */
static bool looks_like_tracepoint(const char *name)
{
    const size_t n_system = strcspn(name, ":");

    return name[n_system] && is_name(name, n_system) && strchr(name + n_system, '_') &&
           !strpbrk(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") &&
           is_name(name + n_system + 1, strlen(name + n_system + 1));
}

const char *event_uncounted_form(const char *name)
{
    return looks_like_tracepoint(name) ? "tracepoints" : NULL;
}
