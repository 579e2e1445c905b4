/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Tracepoints are directories of tracefs: events/SUBSYSTEM/NAME. The file `id` in it is the number
 * that perf_event_open(2) takes as the config of type PERF_TYPE_TRACEPOINT; `format` describes the
 * fields of its records. No name becomes part of a path before it is known to be that of a file.
 */
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "event/expansion.h"
#include "event/source.h"
#include "sys/small_file.h"

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."

/* SUBSYSTEM:NAME in its two parts. */
struct point {
    char subsystem[NAME_MAX + 1];
    char name[NAME_MAX + 1];
};

/* Copies one part of a name, which may hold these characters. False: it is none. */
static bool copy_part(const char *text, size_t n, const char *characters, char part[NAME_MAX + 1])
{
    if (n == 0 || n > NAME_MAX || text[0] == '.' || strspn(text, characters) < n)
        return false;
    memcpy(part, text, n);
    part[n] = '\0';
    return true;
}

static bool split(const char *text, const char *characters, struct point *ret_point)
{
    const char *colon = strchr(text, ':');

    return colon && copy_part(text, (size_t)(colon - text), characters, ret_point->subsystem) &&
           copy_part(colon + 1, strlen(colon + 1), characters, ret_point->name);
}

/* The number of a tracepoint. False: tracefs has none of this name, or not a number. */
static bool read_id(int tracefs_fd, const struct point *point, uint64_t *ret_id)
{
    char path[2 * NAME_MAX + 16];
    char text[32];
    size_t length;

    (void)snprintf(path, sizeof(path), "events/%s/%s/id", point->subsystem, point->name);
    if (small_file_read(tracefs_fd, path, text, sizeof(text)) < 0)
        return false;
    length = strlen(text);
    if (length > 0 && text[length - 1] == '\n')
        text[length - 1] = '\0';
    return parse_u64(text, ret_id) == 0;
}

static int resolve_tracepoint(const struct source_context *context, const char *name,
                              struct event *event)
{
    struct point point;
    uint64_t id;
    int r;

    if (!split(name, NAME_CHARACTERS, &point) || !read_id(context->tracefs_fd, &point, &id))
        return SOURCE_UNKNOWN;
    r = source_describe(event, "Tracepoint");
    if (r < 0)
        return r;
    event->kind = EVENT_TRACEPOINT;
    event->code.type = PERF_TYPE_TRACEPOINT;
    event->code.config = id;
    return SOURCE_KNOWS;
}

/* Whether the entry is one that the pattern matches, and no file beside the directories. */
static bool is_wanted(const struct dirent *entry, const char *pattern)
{
    return (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) && entry->d_name[0] != '.' &&
           fnmatch(pattern, entry->d_name, FNM_NOESCAPE) == 0;
}

static int show_point(const char *subsystem, const char *name, const struct event_visitor *visitor)
{
    char whole[2 * NAME_MAX + 2];

    (void)snprintf(whole, sizeof(whole), "%s:%s", subsystem, name);
    return source_show(
        visitor, &(struct event_listing){
                     .kind = EVENT_TRACEPOINT, .name = whole, .description = "", .pmu = subsystem});
}

static int show_subsystem(int events_fd, const char *subsystem, const char *pattern,
                          const struct event_visitor *visitor)
{
    AUTO(directory) DIR *points = small_file_list(events_fd, subsystem);
    const struct dirent *entry;
    int r = 0;

    while (points && r == 0 && (entry = readdir(points))) {
        char id[NAME_MAX + 4];

        if (!is_wanted(entry, pattern))
            continue;
        /* What only the kernel's own tracers record has a format, and no number to count it by. */
        (void)snprintf(id, sizeof(id), "%s/id", entry->d_name);
        if (faccessat(dirfd(points), id, F_OK, 0) == 0)
            r = show_point(subsystem, entry->d_name, visitor);
    }
    return r;
}

static int show_matching(const struct source_context *context, const struct point *pattern,
                         const struct event_visitor *visitor)
{
    AUTO(directory) DIR *subsystems = small_file_list(context->tracefs_fd, "events");
    const struct dirent *entry;
    int r = 0;

    while (subsystems && r == 0 && (entry = readdir(subsystems)))
        if (is_wanted(entry, pattern->subsystem))
            r = show_subsystem(dirfd(subsystems), entry->d_name, pattern->name, visitor);
    return r;
}

static int list_tracepoints(const struct source_context *context,
                            const struct event_visitor *visitor)
{
    return show_matching(context, &(struct point){"*", "*"}, visitor);
}

static int expand_tracepoints(const struct source_context *context, const char *name,
                              const struct event_visitor *visitor)
{
    struct point pattern;

    if (!split(name, NAME_CHARACTERS EVENT_WILDCARDS "]!^", &pattern))
        return 0;
    return show_matching(context, &pattern, visitor);
}

const struct event_source event_source_tracepoint = {
    .resolve = resolve_tracepoint, .list = list_tracepoints, .expand = expand_tracepoints};
