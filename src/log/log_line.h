/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One line of the log as bytes, in either format. */

#include <stdarg.h>
#include <stdint.h>

#include "base/text.h"
#include "log/log.h"

/* A pipe takes so much at once or not at all (PIPE_BUF). */
#define LOG_LINE_LONGEST 4096
#define LOG_VALUE_LONGEST                                                                          \
    1024 /* in UTF-8, before escapes, with the ellipsis of one that was cut                        \
          */

struct log_line {
    enum log_level level;
    enum log_format format;
    bool journal; /* a <priority> instead of a time */
    uint64_t realtime_ns;
    const char *message;
};

/*
 * Appends the line with its end. `fields` are keys and values that alternate and
 * end with NULL. Values come out as one line of UTF-8 without control characters;
 * fields that have no room any more are left out. An allocation that fails shows
 * in the text.
 */
void log_line_append(struct text *text, const struct log_line *line, va_list fields);
