/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Tracepoints are directories of tracefs: events/SUBSYSTEM/NAME. The file `id` in it is the number
 * that perf_event_open(2) takes as the config of type PERF_TYPE_TRACEPOINT; `format` describes the
 * fields of its records. No name becomes part of a path before it is known to be that of a file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/text.h"
#include "event/expansion.h"
#include "event/source.h"
#include "event/tracepoint_fields.h"
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

/* Formats that are longer have their fields at the beginning, and are not read. */
#define LONGEST_FORMAT ((size_t)64 * 1024)

/* Reads the format of a tracepoint, which the caller frees. 0; -ENOENT: there is none that can be
 * read; -ENOMEM. */
static int read_format(int tracefs_fd, const struct point *point, char **ret_format)
{
    AUTO_FREE char *format = malloc(LONGEST_FORMAT);
    char path[2 * NAME_MAX + 16];

    if (!format)
        return -ENOMEM;
    (void)snprintf(path, sizeof(path), "events/%s/%s/format", point->subsystem, point->name);
    if (small_file_read(tracefs_fd, path, format, LONGEST_FORMAT) < 0)
        return -ENOENT;
    *ret_format = TAKE(format);
    return 0;
}

/* Finds the fields of a tracepoint. Without a readable format they are not known. 0 or -ENOMEM. */
static int read_fields(int tracefs_fd, const struct point *point, struct event *event)
{
    AUTO_FREE char *format = NULL;
    AUTO_TEXT struct text fields = {0};
    int r = read_format(tracefs_fd, point, &format);

    if (r < 0)
        return r == -ENOENT ? 0 : r;
    tracepoint_append_fields(format, &fields);
    event->fields = text_take(&fields);
    return event->fields ? 0 : -ENOMEM;
}

/* How many bytes of the fields' names HELP has; some tracepoints have very many fields. */
#define MOST_DESCRIBED 200

static int describe(struct event *event, const struct point *point)
{
    const char *fields = event->fields ? event->fields : "";
    const bool is_long = strlen(fields) > MOST_DESCRIBED;
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *description = NULL;

    text_append_format(&text, "Tracepoint %s:%s", point->subsystem, point->name);
    if (*fields)
        text_append_format(&text, " with the fields %.*s%s", MOST_DESCRIBED, fields,
                           is_long ? "…" : "");
    description = text_take(&text);
    return description ? source_describe(event, description) : -ENOMEM;
}

static int resolve_tracepoint(const struct source_context *context, const char *name,
                              struct event *event)
{
    struct point point;
    uint64_t id;
    int r;

    if (!split(name, NAME_CHARACTERS, &point) || !read_id(context->tracefs_fd, &point, &id))
        return SOURCE_UNKNOWN;
    r = read_fields(context->tracefs_fd, &point, event);
    if (r >= 0)
        r = describe(event, &point);
    if (r < 0)
        return r;
    event->kind = EVENT_TRACEPOINT;
    event->code.type = PERF_TYPE_TRACEPOINT;
    event->code.config = id;
    return SOURCE_KNOWS;
}

int tracepoint_look_up_field(const struct source_context *context, const char *tracepoint,
                             const char *name, struct event_field *ret_field)
{
    AUTO_FREE char *format = NULL;
    struct point point;
    int r = split(tracepoint, NAME_CHARACTERS, &point)
                ? read_format(context->tracefs_fd, &point, &format)
                : -ENOENT;

    if (r < 0)
        return r;
    return tracepoint_find_field(format, name, ret_field) ? 0 : -ENOENT;
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

/*
 * Where tracefs cannot be read, the form of a name is all there is: tracepoints are in lower case.
 * Modifiers and slips of them are shorter than any name of a tracepoint.
 */
static bool looks_like_tracepoint(const char *name)
{
    struct point point;

    return split(name, NAME_CHARACTERS EVENT_WILDCARDS, &point) &&
           !strpbrk(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") &&
           (strlen(point.name) >= 3 || strpbrk(point.name, EVENT_WILDCARDS));
}

static bool is_closed(const struct source_context *context)
{
    return context->tracefs_fd == -EACCES ||
           (context->tracefs_fd >= 0 &&
            faccessat(context->tracefs_fd, "events", R_OK | X_OK, AT_EACCESS) < 0 &&
            errno == EACCES);
}

static int resolve_closed(const struct source_context *context, const char *name,
                          struct event *event)
{
    if (!looks_like_tracepoint(name))
        return SOURCE_UNKNOWN;
    if (is_closed(context)) {
        int r = source_explain(event, "only root may read tracefs; CAP_DAC_READ_SEARCH allows it, "
                                      "which the unit's drop-in tracepoints.conf grants");

        event->kind = EVENT_TRACEPOINT;
        return r < 0 ? r : SOURCE_FORBIDDEN;
    }
    if (context->tracefs_fd >= 0)
        return SOURCE_UNKNOWN;
    event->kind = EVENT_TRACEPOINT;
    return source_explain(event, "tracefs is not mounted; \"mount -t tracefs tracefs "
                                 "/sys/kernel/tracing\" does it");
}

const struct event_source event_source_closed_tracepoint = {.resolve = resolve_closed};

const struct event_source event_source_tracepoint = {
    .resolve = resolve_tracepoint, .list = list_tracepoints, .expand = expand_tracepoints};
