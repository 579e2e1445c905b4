/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The one place that speaks. Lines of logfmt (or JSON) on stderr; under systemd
 * (JOURNAL_STREAM names our stderr) each begins with the journal's <priority>
 * instead of a time stamp. At most 10 lines a second; what is held back is
 * counted and told when the second is over. Any thread may log.
 *
 *     log_warning("event cannot be counted", "event", name, "reason", reason);
 *
 * writes  ts=2026-11-21T06:08:39.120Z level=warn msg="event cannot be counted" event=…
 */

#include <stdbool.h>

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARN, LOG_LEVEL_ERROR };
enum log_format { LOG_FORMAT_LOGFMT, LOG_FORMAT_JSON };

/* "debug", "info", "warn", "error"; "logfmt", "json". 0 or -EINVAL. */
int log_level_parse(const char *text, enum log_level *ret_level);
int log_format_parse(const char *text, enum log_format *ret_format);

/* Until it is called: info, logfmt. */
void log_init(enum log_level level, enum log_format format);

bool log_enabled(enum log_level level);

/* Keys and values alternate (const char *) and end with NULL; where the value is NULL the field is
 * left out. */
void log_write(enum log_level level, const char *message, ...) __attribute__((sentinel));

/* Tells what was held back, if anything was; called once a second or so, and at the end. */
void log_flush(void);

#define log_debug(...)   log_write(LOG_LEVEL_DEBUG, __VA_ARGS__, (char *)NULL)
#define log_info(...)    log_write(LOG_LEVEL_INFO, __VA_ARGS__, (char *)NULL)
#define log_warning(...) log_write(LOG_LEVEL_WARN, __VA_ARGS__, (char *)NULL)
#define log_error(...)   log_write(LOG_LEVEL_ERROR, __VA_ARGS__, (char *)NULL)
