/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/profile/path.h"

#include <ctype.h>

/* The whole table is asked for, as how many stacks are not whole stands in any of its rows. */
#define ROWS "100000"

/* A node that is left out of a tree has less than a share of any line that is shown. */
#define NODES "20000"

/* A name of a cgroup may have any bytes. */
static void append_encoded(struct text *path, const char *value)
{
    for (; *value; value++)
        if (isalnum((unsigned char)*value) || strchr("-._~/:", *value))
            text_append_char(path, *value);
        else
            text_append_format(path, "%%%02X", (unsigned char)*value);
}

void profile_append_argument(struct text *path, const char *name, const char *value)
{
    text_append_format(path, "&%s=", name);
    append_encoded(path, value);
}

static void append_time(struct text *path, const char *name, uint64_t ns)
{
    text_append_format(path, "&%s=", name);
    text_append_seconds(path, ns);
}

void profile_append_question(struct text *path, const char *resource, const char *target,
                             const struct profile_span *span)
{
    text_append_format(path, "/api/v1/profile%s?target=", resource);
    append_encoded(path, target);
    if (span->end_ns == 0)
        return;
    append_time(path, "start", span->start_ns);
    append_time(path, "end", span->end_ns);
}

static void append_before(struct text *path, const struct profile_options *options)
{
    append_time(path, "before_start", options->before.start_ns);
    append_time(path, "before_end", options->before.end_ns);
    if (options->before_target)
        profile_append_argument(path, "before_target", options->before_target);
    profile_append_argument(path, "measure", options->measure);
    text_append_string(path, "&nodes=" NODES);
}

void profile_append_path(struct text *path, const struct profile_options *options)
{
    const bool is_table = !options->is_difference && options->format == PROFILE_FORMAT_TABLE;

    profile_append_question(path,
                            options->is_difference ? "/difference"
                            : is_table             ? "/table"
                                                   : "",
                            options->target, &options->span);
    if (options->is_difference)
        append_before(path, options);
    else if (is_table)
        text_append_string(path, "&rows=" ROWS);
    else if (options->format == PROFILE_FORMAT_TREE)
        text_append_string(path, "&nodes=" NODES);
    else
        profile_append_argument(path, "format", profile_format_name(options->format));
}
