/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Makes the bytes of one line of the log, in either format. */

#include <stdarg.h>
#include <stdint.h>

#include "base/text.h"
#include "log/log.h"

/* So much a pipe takes whole or not at all (PIPE_BUF). */
#define LOG_LINE_LONGEST 4096

/* A value has at most so many bytes of UTF-8, before escapes; one that was cut ends in an ellipsis.
 */
#define LOG_VALUE_LONGEST 1024

struct log_line {
    enum log_level level;
    enum log_format format;
    bool journal; /* the line begins with a <priority> and has no time */
    uint64_t realtime_ns;
    const char *message;
};

/*
 * Appends the line, with its newline. `fields` are keys and values that alternate and end with
 * NULL. Values are written as one line of UTF-8 without control characters, whatever they hold.
 * Fields for which there is no room are left out. Where there is no memory, text_error() says so.
 */
void log_line_append(struct text *text, const struct log_line *line, va_list fields);
