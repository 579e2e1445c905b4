/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The log: lines of logfmt or JSON on standard error. Where systemd reads standard error
 * (JOURNAL_STREAM names it), each line begins with the journal's <priority> instead of a time
 * stamp. At most 10 lines are written in any second; others are held back and counted, and a line
 * says how many there were when the second is over. Any thread may log. Which layers may is a list
 * in tests/lint/layers.py.
 *
 *     log_warning("event cannot be counted", "event", name, "reason", reason);
 *
 * writes  ts=2026-11-21T06:08:39.120Z level=warn msg="event cannot be counted" event=…
 */

#include <stdbool.h>

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARN, LOG_LEVEL_ERROR };
enum log_format { LOG_FORMAT_LOGFMT, LOG_FORMAT_JSON };

/* Parse "debug", "info", "warn" or "error", and "logfmt" or "json". 0 or -EINVAL. */
int log_level_parse(const char *text, enum log_level *ret_level);
int log_format_parse(const char *text, enum log_format *ret_format);

/*
 * Says from which level on lines are written, and how; to be called before there are other
 * threads. Until then it is info, as logfmt.
 */
void log_init(enum log_level level, enum log_format format);

/* Whether lines of this level are written. */
bool log_enabled(enum log_level level);

/*
 * Writes a line without waiting, and keeps errno. Behind the message keys and values alternate,
 * each a const char *, and end with NULL; a field whose value is NULL is left out. The macros below
 * add the NULL. Returns false if the line was held back, or found no room.
 */
bool log_write(enum log_level level, const char *message, ...) __attribute__((sentinel));

/* Writes how many lines were held back, if any; to be called about once a second, and at the end.
 */
void log_flush(void);

#define log_debug(...)   log_write(LOG_LEVEL_DEBUG, __VA_ARGS__, (char *)NULL)
#define log_info(...)    log_write(LOG_LEVEL_INFO, __VA_ARGS__, (char *)NULL)
#define log_warning(...) log_write(LOG_LEVEL_WARN, __VA_ARGS__, (char *)NULL)
#define log_error(...)   log_write(LOG_LEVEL_ERROR, __VA_ARGS__, (char *)NULL)
