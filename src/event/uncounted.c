/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Names that perf takes and no source of ours does yet. They are told from slips by looking
 * whether the machine has them: a PMU by its directory in sysfs, a tracepoint by that in tracefs.
 */
#include "event/uncounted.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."

static const char *const tracefs_roots[] = {"kernel/tracing", "kernel/debug/tracing"};

/* Whether the n bytes are one name of a file, and no way to another directory. */
static bool is_name(const char *text, size_t n)
{
    return n > 0 && n <= NAME_MAX && text[0] != '.' && strspn(text, NAME_CHARACTERS) >= n;
}

static bool exists(int sysfs_fd, const char *path)
{
    return faccessat(sysfs_fd, path, F_OK, 0) == 0;
}

/* "power/energy-pkg/", "cpu/event=0xc0,umask=1/u". */
static bool is_of_sysfs(int sysfs_fd, const char *name)
{
    const size_t n_pmu = strcspn(name, "/");
    const char *term = name + n_pmu + 1;
    char path[3 * NAME_MAX];
    size_t n_term;

    if (!name[n_pmu] || !is_name(name, n_pmu))
        return false;
    n_term = strcspn(term, ",/=");
    if (term[n_term] == '=')
        (void)snprintf(path, sizeof(path), "bus/event_source/devices/%.*s", (int)n_pmu, name);
    else if (is_name(term, n_term))
        (void)snprintf(path, sizeof(path), "bus/event_source/devices/%.*s/events/%.*s", (int)n_pmu,
                       name, (int)n_term, term);
    else
        return false;
    return exists(sysfs_fd, path);
}

/* "sched:sched_switch", "kmem:*". */
static bool is_tracepoint(int sysfs_fd, const char *name)
{
    const size_t n_system = strcspn(name, ":");
    const char *point = name + n_system + 1;
    char path[3 * NAME_MAX];
    size_t n_point;

    if (!name[n_system] || !is_name(name, n_system))
        return false;
    n_point = strcspn(point, ":*?");
    if (!*point)
        return false;
    if (n_point > 0 && !is_name(point, n_point))
        return false;
    for (size_t i = 0; i < sizeof(tracefs_roots) / sizeof(tracefs_roots[0]); i++) {
        const bool is_whole = point[n_point] == '\0' || point[n_point] == ':';

        (void)snprintf(path, sizeof(path), "%s/events/%.*s/%.*s", tracefs_roots[i], (int)n_system,
                       name, is_whole ? (int)n_point : 0, point);
        if (exists(sysfs_fd, path))
            return true;
    }
    return false;
}

/* Lower case with an underscore: no name of libpfm4 with a unit mask ("INST_RETIRED:ANY_P"). */
static bool looks_like_tracepoint(const char *name)
{
    const size_t n_system = strcspn(name, ":");

    return name[n_system] && is_name(name, n_system) && strchr(name + n_system, '_') &&
           !strpbrk(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") &&
           is_name(name + n_system + 1, strlen(name + n_system + 1));
}

const char *event_uncounted_form(const char *name)
{
    const size_t n_pmu = strcspn(name, "/");

    if (name[n_pmu] && is_name(name, n_pmu))
        return "events of sysfs PMUs";
    return looks_like_tracepoint(name) ? "tracepoints" : NULL;
}

const char *event_not_counted_yet(int sysfs_fd, const char *name)
{
    if (is_of_sysfs(sysfs_fd, name))
        return "events of sysfs PMUs";
    return is_tracepoint(sysfs_fd, name) ? "tracepoints" : NULL;
}
